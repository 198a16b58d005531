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
    const KeyframeView& keys = colliders[i].keys;
    const double t = control->time, dt = control->dt;
    RigidPose<double> pose = b >= 0   ? rigid::pose_of<double>(moved.masses[b], moved.bodies[b],
                                                             moved.free_velocity(b, dt))
                             : chords ? pose_over<double>(keys, t, dt)
                                      : pose_at<double>(keys, t);
    // That of a body which material moves is of its velocity before; it is of second order.
    if (b >= 0 || !chords) pose.bend = rigid::bend(pose.angular_velocity, dt);
    poses[i] = rigid::cast<Real>(pose);
    if (colliders[i].deforming != nullptr) set_time(*colliders[i].deforming, control->time);
  }
};

}  // namespace firn
