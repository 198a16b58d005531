// Where every body stands at the time of the step.
#pragma once

#include "kernels/grid/update.h"

namespace firn {

template <class Real>
struct PoseColliders {
  static constexpr const char* kName = "pose_colliders";
  const ColliderShape<Real>* colliders;
  RigidPose<Real>* poses;
  const StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    poses[i] = pose_at<Real>(colliders[i].keys, control->time);
  }
};

}  // namespace firn
