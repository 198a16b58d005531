// Where every body stands at the time of the step, and which shape those have that deform.
#pragma once

#include "kernels/collide/rigid_body.h"
#include "kernels/grid/update.h"

namespace firn {

// The bodies that material moves, in device memory.
struct BodyView {
  RigidBody* bodies = nullptr;
  const RigidMass* masses = nullptr;
  Vec<double, 3> gravity = {{0, 0, 0}};

  // At the end of a step in which nothing touches it.
  FIRN_HD RigidVelocity free_velocity(int b, double dt) const {
    return {bodies[b].velocity + dt * gravity, rigid::angular_velocity(masses[b], bodies[b])};
  }
};

template <class Real>
struct PoseColliders {
  static constexpr const char* kName = "pose_colliders";
  const ColliderShape<Real>* colliders;
  RigidPose<Real>* poses;
  const StepControl* control;
  BodyView moved = {};
  // Whether velocities are those of the step's chords; else of the time at which it begins, to
  // which `bend` adds what is missing.
  bool chords = true;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    const int b = colliders[i].body;
    const double dt = control->dt;
    if (b < 0) {
      const KeyframeView& keys = colliders[i].keys;
      poses[i] =
          chords ? pose_over<Real>(keys, control->time, dt) : pose_at<Real>(keys, control->time);
    } else {
      poses[i] = rigid::pose_of<Real>(moved.masses[b], moved.bodies[b], moved.free_velocity(b, dt));
    }
    // What turns a body may have changed by the time that its velocity is known: the bend, of
    // second order, stays.
    if (b >= 0 || !chords)
      for (int a = 0; a < 3; ++a)
        poses[i].bend[a] = static_cast<Real>(std::sqrt(0.5 * dt)) * poses[i].angular_velocity[a];
    if (colliders[i].deforming != nullptr) set_time(*colliders[i].deforming, control->time);
  }
};

}  // namespace firn
