#pragma once

#include "kernels/mac/boundary_geometry.h"
#include "kernels/mac/face_layers.h"
#include "kernels/mac/face_masks.h"
#include "kernels/mac/heirs.h"

namespace firn {

// Faces that keep their own velocity: what apply_pressure and release_sliding_faces leave as valid.
template <int D, class Real>
struct MarkOwnFaces {
  static constexpr const char* kName = "mark_own_faces";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {
    std::uint32_t of_fluid[kWords];
  };
  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;
  std::uint32_t* own;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    const bool near = has_boundary(mac, g.index());
    find_fluid_faces<D>(g, mac, g.index(), g.scratch.of_fluid);
    if (near && mac.mirrored != nullptr)
      g.for_each(D * kCells, [&](std::uint32_t i) {
        mac.mirrored[face_index<D>(g.index(), 0, i)] = kUnbound<Real>;
      });
    g.sync();
    select_bits(
        g, kWords, [&](std::uint32_t w) { return g.scratch.of_fluid[w]; },
        [&](std::uint32_t i) { return !near || keeps(g.index(), block, i); },
        [&](std::uint32_t w, std::uint32_t bits) { own[face_word<D>(g.index(), 0) + w] = bits; });
  }
  FIRN_HD bool keeps(std::uint32_t rank, const Vec<int, D>& block, std::uint32_t i) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(i % kCells));
    const int axis = static_cast<int>(i / kCells);
    const std::uint64_t face = face_index<D>(rank, 0, i);
    const Real open = mac.area[face];
    if (mac.mirrored != nullptr) {
      const bool held = open > Real(0) && is_gripped(rank, block, local, axis);
      mac.mirrored[face] = held ? Real(0) : kUnbound<Real>;
      if (held) return false;
    }
    if (open > Real(0)) return open >= Real(kOpenEnough);
    return !boundary.slides(block, local, axis);
  }
  // Where there is a free face beside it that it can follow; in a slit the one farthest from both
  // walls is free, unless it lies in or at one of them: what has no other moves with the wall.
  FIRN_HD bool is_gripped(std::uint32_t rank, const Vec<int, D>& block, const Vec<int, D>& local,
                          int axis) const {
    const Vec<Real, D> x = boundary.face_position(block, local, axis);
    const NearestBoundary<D, Real> wall = boundary.nearest(x);
    if (!boundary.grips(wall, x, axis)) return false;
    const Real dx = boundary.grid.dx;
    const Real farther = max(wall.distance + Real(0.05) * dx, boundary.kLeastBefore * dx);
    for (int d = 0; d < kDirections<D>; ++d) {
      const int by = (d & 1) != 0 ? 1 : -1;
      const Vec<int, D> there = stepped<D>(local, d / 2, by);
      const CellAddress at = cell_address<D>(mac, rank, there);
      if (!at.exists() || mac.area[face_index<D>(at.block, axis, at.cell)] < Real(kOpenEnough) ||
          !is_wet<D>(mac, rank, there, axis))
        continue;
      const auto distance = [&](const Vec<int, D>& of) {
        return boundary.distance(boundary.face_position(block, of, axis));
      };
      const Real beside = distance(there);
      if (beside >= boundary.kBesideWall * dx ||
          (beside >= farther && distance(stepped<D>(there, d / 2, by)) <= beside))
        return true;
    }
    return wall.distance < boundary.kLeastBefore * dx;
  }
};

// Those and their neighbours, and how these follow the inner layer. Faces that a sticky boundary
// holds do where it lies along them, beside a face before it and then along lines.
template <int D, class Real>
struct ReachFaces {
  static constexpr const char* kName = "reach_faces";
  static constexpr int kThreads = 64;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes, kWords = 2 * D;
  struct Scratch {
    std::uint32_t reached[kWords], open[kWords];
    DirectionBits<D> near, far;
  };
  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;
  FaceLayers layers;
  int layer;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t *inner = layers.mask(layer - 1), *own = inner + face_word<D>(g.index(), 0);
    g.for_each(D, [&](std::uint32_t axis) {
      const auto at = faces_around<D>(mac, g.index(), [&](std::uint32_t of) {
        return face_bits<D>(inner, of, static_cast<int>(axis));
      });
      at.towards(1, g.scratch.near[axis]);
      at.towards(2, g.scratch.far[axis]);
      std::uint64_t bits = at.own;
      for (const std::uint64_t& near : g.scratch.near[axis]) bits |= near;
      store_word_pair(g.scratch.reached, axis, bits);
    });
    g.sync();
    find_open(g, own);
    g.sync();
    std::uint32_t* outer = layers.mask(layer) + face_word<D>(g.index(), 0);
    g.for_each(kWords, [&](std::uint32_t w) { outer[w] = g.scratch.reached[w]; });
    g.for_each(D, [&](std::uint32_t axis) { count(g, own, axis); });
  }

  // Leaves faces that are held out, and finds which of the others are continued along lines.
  template <class Group>
  FIRN_HD void find_open(Group& g, const std::uint32_t* own) const {
    if (!has_boundary(mac, g.index())) {
      g.for_each(kWords, [&](std::uint32_t w) { g.scratch.open[w] = ~0u; });
      return;
    }
    const Vec<int, D> block = block_of_key<D>(boundary.grid.keys[g.index()]);
    const auto new_ones = [&](std::uint32_t w) { return g.scratch.reached[w] & ~own[w]; };
    select_bits(
        g, kWords, new_ones,
        [&](std::uint32_t i) { return mac.area[face_index<D>(g.index(), 0, i)] > Real(0); },
        [&](std::uint32_t w, std::uint32_t bits) { g.scratch.open[w] = bits; });
    g.sync();
    select_bits(
        g, kWords, new_ones, [&](std::uint32_t i) { return joins(g, block, i); },
        [&](std::uint32_t w, std::uint32_t bits) {
          g.scratch.reached[w] = (g.scratch.reached[w] & own[w]) | bits;
        });
    if (mac.mirrored == nullptr) return;
    g.sync();
    select_bits(
        g, kWords, new_ones,
        [&](std::uint32_t i) {
          return test_bit(g.scratch.open, i) ||
                 clings(mac, g.index(), face_index<D>(g.index(), 0, i));
        },
        [&](std::uint32_t w, std::uint32_t bits) { g.scratch.open[w] = bits; });
  }
  // Whether a new face belongs to the layer; and how it clings.
  template <class Group>
  FIRN_HD bool joins(Group& g, const Vec<int, D>& block, std::uint32_t i) const {
    const bool open = test_bit(g.scratch.open, i), mirrors = mac.mirrored != nullptr;
    if (open && !mirrors) return true;
    const std::uint32_t rank = g.index();
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(i % kCells));
    const int axis = static_cast<int>(i / kCells);
    const Vec<Real, D> x = boundary.face_position(block, local, axis);
    const NearestBoundary<D, Real> wall = boundary.nearest(x);
    const std::uint64_t face = face_index<D>(rank, 0, i);
    const bool grips =
        mirrors && (open && is_wet<D>(mac, rank, local, axis) ? clings(mac, rank, face)
                                                              : boundary.grips(wall, x, axis));
    if (!grips) return open || wall.boundary != BoundaryType::kSticky;
    const DirectionBits<D>&near = g.scratch.near, &far = g.scratch.far;
    bool follows = false;
    Real mirrored = Real(1);
    if (layer == 1)
      follows = mirrors_in(near[axis], block, local, axis, wall.distance, mirrored);
    else
      for (int d = 0; d < kDirections<D>; ++d)
        follows = follows || test_bit(near[axis][d] & far[axis][d], i % kCells);
    mac.mirrored[face] = follows ? mirrored : Real(0);
    return follows;
  }
  // Whether there are free faces beside one at `distance`, and the share of their mean with which
  // it and they are 0 at the boundary.
  FIRN_HD bool mirrors_in(const std::uint64_t (&near)[kDirections<D>], const Vec<int, D>& block,
                          const Vec<int, D>& local, int axis, Real distance, Real& share) const {
    const auto cell = static_cast<std::uint32_t>(node_in_block<D>(local));
    Real sum = Real(0);
    int count = 0;
    for (int d = 0; d < kDirections<D>; ++d) {
      if (!test_bit(near[d], cell)) continue;
      const Vec<int, D> there = stepped<D>(local, d / 2, (d & 1) != 0 ? 1 : -1);
      sum += max(boundary.distance(boundary.face_position(block, there, axis)), Real(0));
      ++count;
    }
    if (sum < boundary.kLeastBefore * boundary.grid.dx) return false;
    share = distance * static_cast<Real>(count) / sum;
    return true;
  }

  template <class Group>
  FIRN_HD void count(Group& g, const std::uint32_t* own, std::uint32_t axis) const {
    CountPlanes neighbours, lines;
    const std::uint64_t open = word_pair(g.scratch.open, axis);
    for (int d = 0; d < kDirections<D>; ++d) {
      const std::uint64_t near = g.scratch.near[axis][d];
      neighbours.add(near);
      lines.add(near & g.scratch.far[axis][d] & open);
    }
    const std::uint64_t fresh = word_pair(g.scratch.reached, axis) & ~word_pair(own, axis);
    std::uint32_t* planes =
        layers.heirs + (std::uint64_t{g.index()} * D + axis) * FaceLayers::kHeirWords;
    for (int p = 0; p < CountPlanes::kPlanes; ++p) {
      add_fresh(planes, static_cast<std::uint32_t>(p), neighbours.plane[p] & fresh);
      add_fresh(planes, static_cast<std::uint32_t>(CountPlanes::kPlanes + p),
                lines.plane[p] & fresh);
    }
  }
  // A face is new in one layer.
  FIRN_HD void add_fresh(std::uint32_t* planes, std::uint32_t p, std::uint64_t bits) const {
    store_word_pair(planes, p, layer == 1 ? bits : word_pair(planes, p) | bits);
  }
};

template <class Exec, int D, class Real>
void find_layers(Exec& exec, const GridUpdateParams<Real, D>& params, const FaceLayers& layers,
                 const GridView<Real>& grid, const MacView<Real>& mac, const LaunchRange& blocks) {
  launch_groups(exec, blocks, MarkOwnFaces<D, Real>{{params, grid}, mac, layers.mask(0)});
  for (int l = 1; l <= layers.count; ++l)
    launch_groups(exec, blocks, ReachFaces<D, Real>{{params, grid}, mac, layers, l});
}

}  // namespace firn
