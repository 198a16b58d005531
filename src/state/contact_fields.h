// What passes over the grid find out about contact in every step, per block, in a backend's memory:
// where the surface of the material is, and which nodes depend on which.
#pragma once

#include "firn/scene.h"
#include "kernels/exec/buffer.h"
#include "kernels/grid/dependence.h"
#include "src/scene/integrator_traits.h"

namespace firn {

// Whether nodes near what holds so depend on others (kernels/grid/dependents.h). Not with linear
// kernels, by which material comes to a node and its parent all at once.
inline bool has_dependents(const Scene& scene, BoundaryType type) {
  return !traits_of(scene).staggered && scene.transfer.kernel > 1 && holds_both_ways(type);
}
inline bool has_dependents(const Scene& scene, const Collider& collider) {
  return !collider.dynamics && has_dependents(scene, collider.boundary);
}

template <class Exec, int D, class Real>
class ContactFields {
 public:
  explicit ContactFields(Exec& exec) : exec_(exec) {}

  // Before reserve(). `colliders`: how many there are.
  void find_surfaces(std::size_t colliders) { with_surfaces_ = true, colliders_ = colliders; }
  void find_dependents(BoundaryType type) {
    with_dependents_ = true, slipping_ |= type == BoundaryType::kSlip;
  }
  bool has_surfaces() const { return with_surfaces_; }
  bool has_dependents() const { return with_dependents_; }

  void reserve(std::uint32_t blocks) {
    near_ = {};
    surfaces_ = {};
    depends_ = {};
    parents_ = {};
    dependences_ = {};
    parent_nodes_ = {};
    slips_ = {};
    if (with_surfaces_) {
      near_ = Buffer<Exec, std::uint8_t>(exec_, colliders_ * blocks);
      surfaces_ = Buffer<Exec, Vec<Real, D>>(exec_, kNodes * blocks);
    }
    if (with_dependents_) {
      depends_ = Buffer<Exec, std::uint8_t>(exec_, blocks);
      parents_ = Buffer<Exec, std::uint32_t>(exec_, kWords * blocks);
      parents_.zero();
      dependences_ = Buffer<Exec, NodeDependence<Real>>(exec_, kNodes * blocks);
      parent_nodes_ = Buffer<Exec, NodeParent<Real, D>>(exec_, kNodes * blocks);
      if (slipping_) slips_ = Buffer<Exec, NodeSlip<Real, D>>(exec_, kNodes * blocks);
    }
  }
  // Where a step ends before its parents have told their dependents.
  void forget_dependents() {
    if (with_dependents_) parents_.zero();
  }
  void fill(GridUpdateParams<Real, D>& params) {
    params.near = near_.data();
    params.surfaces = surfaces_.data();
    params.depends = depends_.data();
    params.parents = parents_.data();
    params.dependences = dependences_.data();
    params.parent_nodes = parent_nodes_.data();
    params.slips = slips_.data();
  }
  std::size_t bytes_per_block() const {
    return (with_surfaces_ ? colliders_ + kNodes * sizeof(Vec<Real, D>) : 0) +
           (with_dependents_
                ? 1 + kWords * sizeof(std::uint32_t) +
                      kNodes * (sizeof(NodeDependence<Real>) + sizeof(NodeParent<Real, D>) +
                                (slipping_ ? sizeof(NodeSlip<Real, D>) : 0))
                : 0);
  }
  std::size_t bytes() const {
    return near_.bytes() + surfaces_.bytes() + depends_.bytes() + parents_.bytes() +
           dependences_.bytes() + parent_nodes_.bytes() + slips_.bytes();
  }

 private:
  static constexpr std::size_t kNodes = BlockTraits<D>::kNodes,
                               kWords = kNodes * Dependence<D, Real>::kWords;
  Exec& exec_;
  bool with_surfaces_ = false, with_dependents_ = false, slipping_ = false;
  std::size_t colliders_ = 0;
  Buffer<Exec, std::uint8_t> near_;
  Buffer<Exec, Vec<Real, D>> surfaces_;
  Buffer<Exec, std::uint8_t> depends_;
  Buffer<Exec, std::uint32_t> parents_;
  Buffer<Exec, NodeDependence<Real>> dependences_;
  Buffer<Exec, NodeParent<Real, D>> parent_nodes_;
  Buffer<Exec, NodeSlip<Real, D>> slips_;
};

}  // namespace firn
