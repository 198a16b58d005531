// The last guard of collisions: nodes keep material out of bodies as well as the grid resolves
// them; a particle that got deeper than half a cell all the same, at an edge or in front of a fast
// body, is put back to that depth. What was deeper in a sticky body when the step began stays as
// it is: a clamp holds what is in it.
#pragma once

#include "kernels/fields/blocks.h"
#include "kernels/grid/update.h"

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

  // Whether body c can touch particles of a block.
  FIRN_HD bool reaches(const Vec<int, D>& block, int c) const {
    const Real half = Real(0.5) * BlockTraits<D>::kSide;
    Vec<Real, D> centre;
    for (int a = 0; a < D; ++a)
      centre[a] = (static_cast<Real>(block[a] * BlockTraits<D>::kSide) + half) * dx;
    const Real radius = (half + Real(kMargin)) * dx * sqrt(static_cast<Real>(D));
    return signed_distance<D>(colliders[c].program, to_body(poses[c], centre)) <= radius;
  }
  // Particles may be a cell outside their block, and moved by one more: with the stencil's shift.
  static constexpr int kMargin = 3;
  FIRN_HD bool any_reaches(const Vec<int, D>& block) const {
    for (int c = 0; c < count; ++c)
      if (reaches(block, c)) return true;
    return false;
  }

  // Puts x, where a particle is after a step of dt that began at `before`, back to half a cell's
  // depth in body c as that will be then; false where it stays. What the body holds has moved with
  // it if velocities were those of chords; with `tangents` it still has to be bent onto its arc.
  FIRN_HD bool push_out(int c, const Vec<Real, D>& before, Vec<Real, D>& x, Real dt,
                        bool tangents) const {
    const RigidPose<Real>& pose = poses[c];
    const SdfProgram<Real>& shape = colliders[c].program;
    const Vec<Real, D> at = to_body(pose, x - dt * surface_velocity(colliders[c], pose, before));
    const Real depth = -signed_distance<D>(shape, at), allowed = Real(0.5) * dx;
    if (!(depth > allowed)) return false;
    if (holds(c, before)) {
      if (tangents) x += dt * bend_at(pose, before);
      return tangents;
    }
    x += (depth - allowed) * rotate_to_world(pose, sdf_normal<D>(shape, at, Real(0.1) * dx));
    return true;
  }
  // Whether x lies so deep in a sticky body that nothing has put it there but the scene: deeper
  // than what is put back gets in a step by what its motion is not told to.
  FIRN_HD bool holds(int c, const Vec<Real, D>& x) const {
    if (colliders[c].boundary != BoundaryType::kSticky) return false;
    return -signed_distance<D>(colliders[c].program, to_body(poses[c], x)) > Real(0.6) * dx;
  }
};

}  // namespace firn
