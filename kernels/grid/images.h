// Which nodes behind the walls of the domain are mirror images, and of which nodes (mirror.h).
#pragma once

#include "kernels/grid/contact.h"

namespace firn {

template <class Real, int D>
FIRN_HD inline Vec<Real, D> scaled(const Vec<Real, D>& sign, Vec<Real, D> v) {
  for (int a = 0; a < D; ++a) v[a] *= sign[a];
  return v;
}

// One thread alone, that of the node before the walls, has to do with a node and its images: at a
// seam of several walls every image is that of one node, and no image has images.
template <int D, class Real>
struct Images {
  using Vector = Vec<Real, D>;
  using Index = Vec<int, D>;
  static constexpr int kNodes = BlockTraits<D>::kNodes, kSide = BlockTraits<D>::kSide;
  NodeContact<D, Real> contact;

  // The mirroring face along axis a from which index k lies `away` nodes towards the inside; -1:
  // none.
  FIRN_HD int face_at(int a, int k, int away) const {
    const DomainWalls<Real, D>& walls = contact.params.walls;
    if (walls.mirrors[2 * a] && k == walls.plane[2 * a] + away) return 2 * a;
    if (walls.mirrors[2 * a + 1] && k == walls.plane[2 * a + 1] - away) return 2 * a + 1;
    return -1;
  }
  FIRN_HD bool has_any(const Index& origin) const {
    for (int a = 0; a < D; ++a)
      for (int k = 0; k < kSide; ++k)
        if (face_at(a, origin[a] * kSide + k, 1) >= 0) return true;
    return false;
  }
  // How the wall along axis a behind which a node lies acts on it; kSeparate where none mirrors.
  FIRN_HD BoundaryType type_behind(const Index& at, int a) const {
    const int face = face_at(a, at[a], -1);
    if (face < 0) return BoundaryType::kSeparate;
    Vector x;
    for (int b = 0; b < D; ++b) x[b] = static_cast<Real>(at[b]) * contact.grid.dx;
    return contact.type_at(contact.params.walls.boundary[face], x, contact.wall_normal(face));
  }
  // The axes along which a node is an image, as bits.
  FIRN_HD int mirrored_axes(const Index& at) const {
    int axes = 0;
    for (int a = 0; a < D; ++a)
      if (type_behind(at, a) != BoundaryType::kSeparate) axes |= 1 << a;
    return axes;
  }
  // Whether the kernel at a node reaches a collider that moves by its key frames: what that gives
  // the node along the wall its image has as well, or the body would push against what it pushes.
  FIRN_HD bool is_carried(const Index& node) const {
    Vector x;
    for (int a = 0; a < D; ++a) x[a] = static_cast<Real>(node[a]) * contact.grid.dx;
    for (int c = 0; c < contact.params.collider_count; ++c)
      if (contact.goes(c) && !contact.is_moved(c) &&
          contact.distance(c, x) <= contact.reach_of_kernel() + contact.tolerance())
        return true;
    return false;
  }
  // What mirroring makes of a velocity, per axis, of the node whose image it is.
  FIRN_HD Vector sign_of(const Index& image, const Index& of, int axes) const {
    Vector sign;
    bool carried = false, known = false;
    for (int a = 0; a < D; ++a) sign[a] = Real(1);
    for (int a = 0; a < D; ++a) {
      if (((axes >> a) & 1) == 0) continue;
      bool sticks = type_behind(image, a) == BoundaryType::kSticky;
      if (sticks && !known) carried = is_carried(of), known = true;
      sticks = sticks && !carried;
      for (int b = 0; b < D; ++b)
        if (b == a || sticks) sign[b] = -sign[b];
    }
    return sign;
  }

  // f(image, sign) for every image of node i of the block with a key, in a fixed order.
  template <class F>
  FIRN_HD void for_each(std::uint64_t key, std::uint32_t i, F&& f) const {
    const Index origin = block_of_key<D>(key);
    const DomainWalls<Real, D>& walls = contact.params.walls;
    Index at = local_of_node<D>(static_cast<int>(i));
    int face[D], before = 0;
    for (int a = 0; a < D; ++a) {
      at[a] += origin[a] * kSide;
      face[a] = face_at(a, at[a], 1);
      if (face[a] >= 0) before |= 1 << a;
    }
    if (before == 0 || mirrored_axes(at) != 0) return;
    for (int axes = 1; axes < 1 << D; ++axes) {
      if ((axes & before) != axes) continue;
      Index image = at;
      for (int a = 0; a < D; ++a)
        if ((axes >> a) & 1) image[a] = 2 * walls.plane[face[a]] - at[a];
      if (mirrored_axes(image) != axes) continue;
      Index block, local;
      for (int a = 0; a < D; ++a) {
        block[a] = image[a] >> BlockTraits<D>::kShift;
        local[a] = image[a] - block[a] * kSide;
      }
      const BlockHash& hash = contact.grid.hash;
      const std::uint32_t slot = hash.find(key_beside<D>(key, block));
      if (slot != kNoBlock)
        f(std::uint64_t{hash.ranks[slot]} * kNodes +
              static_cast<std::uint64_t>(node_in_block<D>(local)),
          sign_of(image, at, axes));
    }
  }
};

}  // namespace firn
