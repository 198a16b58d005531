// What solids that meet (solid_contact.h) ask of the scene: bodies, walls and other colliders.
#pragma once

#include "kernels/grid/solid_contact.h"

namespace firn {

template <int D, class Real>
struct Solids {
  SolidContact<Real, D> solids;
  const StepControl* control;
  static constexpr int kFaces = 2 * D;

  FIRN_HD int holders() const { return kFaces + solids.params.collider_count; }
  FIRN_HD std::uint32_t& may_meet(int body, int holder) const {
    return solids.pairs[static_cast<std::uint64_t>(body) * static_cast<std::uint64_t>(holders()) +
                        static_cast<std::uint64_t>(holder)];
  }
  // The body that a holder is, or -1.
  FIRN_HD int body_of(int holder) const {
    return holder < kFaces ? -1 : solids.params.colliders[holder - kFaces].body;
  }
  FIRN_HD Vec<double, 3> angular_velocity(int body) const {
    return rigid::angular_velocity(solids.moved.masses[body], solids.moved.bodies[body]);
  }
  FIRN_HD Vec<double, 3> velocity_at(int body, const Vec<double, 3>& arm) const {
    return solids.moved.bodies[body].velocity + cross(angular_velocity(body), arm);
  }
  FIRN_HD static Vec<Real, D> point(const Vec<double, 3>& x) {
    return rigid::from_3d<D>(rigid::cast<Real>(x));
  }
  FIRN_HD Real distance(int holder, const Vec<double, 3>& x) const {
    const Vec<Real, D> at = point(x);
    if (holder < kFaces) {
      const DomainWalls<Real, D>& walls = solids.params.walls;
      const int a = holder / 2;
      return holder % 2 == 0 ? at[a] - walls.min[a] : walls.max[a] - at[a];
    }
    const int c = holder - kFaces;
    return signed_distance<D>(solids.params.colliders[c].program,
                              to_body(solids.params.poses[c], at));
  }
  FIRN_HD Vec<double, 3> normal(int holder, const Vec<double, 3>& x) const {
    Vec<double, 3> n = Vec<double, 3>::zero();
    if (holder < kFaces) {
      n[holder / 2] = holder % 2 == 0 ? 1 : -1;
      return n;
    }
    const RigidPose<Real>& pose = solids.params.poses[holder - kFaces];
    const Vec<Real, D> of =
        rotate_to_world(pose, sdf_normal<D>(solids.params.colliders[holder - kFaces].program,
                                            to_body(pose, point(x)), Real(0.1) * solids.dx));
    for (int a = 0; a < D; ++a) n[a] = static_cast<double>(of[a]);
    return n;
  }
  FIRN_HD Vec<double, 3> surface_velocity(int holder, const Vec<double, 3>& x) const {
    if (holder < kFaces) return Vec<double, 3>::zero();
    if (const int body = body_of(holder); body >= 0)
      return velocity_at(body, x - solids.moved.bodies[body].center);
    const Vec<Real, D> v = firn::surface_velocity(solids.params.colliders[holder - kFaces],
                                                  solids.params.poses[holder - kFaces], point(x));
    Vec<double, 3> velocity = Vec<double, 3>::zero();
    for (int a = 0; a < D; ++a) velocity[a] = static_cast<double>(v[a]);
    return velocity;
  }
};

}  // namespace firn
