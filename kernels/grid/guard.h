// The last guard of collisions: nodes keep material out of bodies as well as the grid resolves
// them; a particle that got deeper than half a cell all the same, at an edge or in front of a fast
// body, is put back to that depth. What lies in a sticky body and does not move against it stays: a
// clamp holds what is in it.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fields/blocks.h"
#include "kernels/fields/particles.h"
#include "kernels/grid/update.h"
#include "kernels/step/control.h"

namespace firn {

// Holds what it needs of an operator's members and no reference to them: where a call is not copied
// into its caller, CUDA would move a whole operator to memory for one.
template <int D, class Real>
struct BodyGuard {
  FIRN_HD BodyGuard(const GridUpdateParams<Real, D>& params, Real dx)
      : colliders(params.colliders), poses(params.poses), count(params.collider_count), dx(dx) {}

  const ColliderShape<Real>* colliders;
  const RigidPose<Real>* poses;
  int count;
  Real dx;

  // Whether body c can touch what lies within `margin` cells of a block.
  FIRN_HD bool reaches(const Vec<int, D>& block, int c, Real margin) const {
    constexpr Real half = Real(0.5) * BlockTraits<D>::kSide;
    Vec<Real, D> centre;
    for (int a = 0; a < D; ++a)
      centre[a] = (static_cast<Real>(block[a] * BlockTraits<D>::kSide) + half) * dx;
    const Real radius = (half + margin) * dx * sqrt(static_cast<Real>(D));
    return signed_distance<D>(colliders[c].program, to_body(poses[c], centre)) <= radius;
  }

  // Puts x back to half a cell's depth in body c; false where it was no deeper. `v` is the
  // particle's velocity after the step, which under FLIP is not quite what has moved it.
  FIRN_HD bool push_out(int c, Vec<Real, D>& x, const Vec<Real, D>& v, Real dt) const {
    const RigidPose<Real>& pose = poses[c];
    const SdfProgram<Real>& shape = colliders[c].program;
    const Vec<Real, D> in_body = to_body(pose, x);
    const Real depth = -signed_distance<D>(shape, in_body), allowed = Real(0.5) * dx;
    if (!(depth > allowed)) return false;
    const Vec<Real, D> n = rotate_to_world(pose, sdf_normal<D>(shape, in_body, Real(0.1) * dx));
    Real by = depth - allowed;
    if (colliders[c].boundary == BoundaryType::kSticky) {
      if (depth > kHeld * dx) return false;
      by = min(by, Real(2) * dt * dot(surface_velocity(colliders[c], pose, x) - v, n));
      if (!(by > Real(0))) return false;
    }
    x += by * n;
    return true;
  }
  // Deeper nothing gets in a step: all that it reads there has the body's velocity.
  static constexpr Real kHeld = Real(2);
};

// Moves positions only, after G2P. Does nothing without colliders.
template <class Exec, int D, class Real>
void guard_particles(Exec& exec, const GridUpdateParams<Real, D>& params,
                     const ParticleView<Real>& particles, const GridView<Real>& grid,
                     std::uint32_t block_bound, const StepControl* control);

}  // namespace firn
