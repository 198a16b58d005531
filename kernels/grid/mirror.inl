#pragma once

#include "kernels/grid/images.h"
#include "kernels/grid/mirror.h"

namespace firn {

template <int D, class Real>
struct FoldImages {
  static constexpr const char* kName = "fold_images";
  static constexpr int kThreads = 64;
  struct Scratch {};
  Images<D, Real> images;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const GridView<Real>& grid = images.contact.grid;
    const std::uint64_t key = grid.keys[g.index()];
    if (!images.has_any(block_of_key<D>(key))) return;
    Node<Real>* momentum = reinterpret_cast<Node<Real>*>(grid.momentum);
    Node<Real>* impulse = images.contact.params.separate_force
                              ? reinterpret_cast<Node<Real>*>(grid.impulse)
                              : nullptr;
    g.for_each(images.kNodes, [&](std::uint32_t i) {
      const std::uint64_t node = std::uint64_t{g.index()} * images.kNodes + i;
      images.for_each(key, i, [&](std::uint64_t image, const Vec<Real, D>& sign) {
        const Real mass = momentum[image].mass();
        if (!(mass > Real(0))) return;
        momentum[node] = momentum[node] + mirrored(momentum[image], sign, mass);
        momentum[image] = Node<Real>::mass(-mass);
        Node<Real>* impulses = impulse == nullptr ? momentum : impulse;
        impulses[node] = impulses[node] + turned_weight(sign, mass);
        if (impulse == nullptr) return;
        impulse[node] = impulse[node] + mirrored(impulse[image], sign, Real(0));
        impulse[image] = Node<Real>::zero();
      });
    });
  }
  // Gravity acts on the image's mass as well, where the node will have it for its own.
  FIRN_HD Node<Real> turned_weight(const Vec<Real, D>& sign, Real mass) const {
    const Real weighs = mass * static_cast<Real>(images.contact.control->dt);
    Node<Real> impulse = Node<Real>::zero();
    for (int a = 0; a < D; ++a)
      impulse.set(a, (sign[a] - Real(1)) * weighs * images.contact.params.gravity[a]);
    return impulse;
  }
  FIRN_HD static Node<Real> mirrored(const Node<Real>& node, const Vec<Real, D>& sign, Real mass) {
    Node<Real> image = Node<Real>::mass(mass);
    for (int a = 0; a < D; ++a) image.set(a, sign[a] * node[a]);
    return image;
  }
};

template <int D, class Real>
struct MirrorVelocities {
  static constexpr const char* kName = "mirror_velocities";
  static constexpr int kThreads = 64;
  struct Scratch {};
  Images<D, Real> images;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const GridView<Real>& grid = images.contact.grid;
    const std::uint64_t key = grid.keys[g.index()];
    if (!images.has_any(block_of_key<D>(key))) return;
    Node<Real>* nodes = reinterpret_cast<Node<Real>*>(grid.nodes);
    Node<Real>* increments = images.contact.params.separate_force
                                 ? reinterpret_cast<Node<Real>*>(grid.increments)
                                 : nullptr;
    g.for_each(images.kNodes, [&](std::uint32_t i) {
      const std::uint64_t node = std::uint64_t{g.index()} * images.kNodes + i;
      Real taken = 0;
      images.for_each(key, i, [&](std::uint64_t image, const Vec<Real, D>& sign) {
        const Real mass = -nodes[image].mass();
        if (!(mass > Real(0))) return;
        taken += mass;
        nodes[image] = FoldImages<D, Real>::mirrored(nodes[node], sign, mass);
        if (increments != nullptr)
          increments[image] = FoldImages<D, Real>::mirrored(increments[node], sign, Real(0));
      });
      if (!(taken > Real(0))) return;
      Node<Real> after = Node<Real>::mass(nodes[node].mass() - taken);
      for (int a = 0; a < D; ++a) after.set(a, nodes[node][a]);
      nodes[node] = after;
    });
  }
};

template <class Exec, int D, class Real>
void fold_images(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                 std::uint32_t max_blocks, const StepControl* control) {
  if (params.walls.mirrors_any())
    launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                  FoldImages<D, Real>{{{params, grid, control}}});
}

template <class Exec, int D, class Real>
void mirror_velocities(Exec& exec, const GridUpdateParams<Real, D>& params,
                       const GridView<Real>& grid, std::uint32_t max_blocks,
                       const StepControl* control) {
  if (params.walls.mirrors_any())
    launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                  MirrorVelocities<D, Real>{{{params, grid, control}}});
}

}  // namespace firn
