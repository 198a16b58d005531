#pragma once

#include "kernels/math/scalar.h"
#include "kernels/step/step.h"

namespace firn {

struct BeginStep {
  static constexpr const char* kName = "begin_step";
  const StepLimits* limits;
  StepControl* control;

  FIRN_HD void tighten(double dt, StepLimit limit, std::uint32_t material) const {
    if (!(dt < control->dt)) return;
    control->dt = dt;
    control->limit = limit;
    control->limit_material = material;
  }

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    StepControl& c = *control;
    c.previous_dt = c.dt;
    c.dt = limits->dt_max;
    c.limit = StepLimit::kMaximum;
    c.limit_material = 0;
    if (c.speed_squared > 0)
      tighten(limits->cfl * limits->dx / sqrt(c.speed_squared), StepLimit::kVelocity, 0);
    for (std::uint32_t m = 0; m < limits->materials; ++m) {
      if (c.wave_squared[m] > 0)
        tighten(limits->cfl_material * limits->dx / sqrt(c.wave_squared[m]), StepLimit::kWaveSpeed,
                m);
      if (c.n_particles > 0) tighten(limits->viscous_dt[m], StepLimit::kViscosity, m);
    }
    if (c.retry_dt > 0) tighten(c.retry_dt, StepLimit::kSolver, 0);
    if (c.dt < limits->dt_min) {
      c.fault = pack_fault(Fault::kTimeStep, 0);
      c.stop |= kStopDiverged;
      return;
    }
    fit_to_target(c);
    c.speed_squared = 0;
    for (std::uint32_t m = 0; m < limits->materials; ++m) c.wave_squared[m] = 0;
  }

  // The last two steps before the target share what is left, so that none is a sliver.
  FIRN_HD static void fit_to_target(StepControl& c) {
    const double left = c.target - c.time;
    if (c.dt >= left) {
      c.dt = left;
      c.limit = StepLimit::kFrameEnd;
    } else if (2 * c.dt > left) {
      c.dt = 0.5 * left;
      c.limit = StepLimit::kFrameEnd;
    }
  }
};

struct EndStep {
  static constexpr const char* kName = "end_step";
  StepControl* control;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    StepControl& c = *control;
    ++c.step;
    c.retry_dt = 0;
    ++c.frame_steps;
    ++c.limited[static_cast<int>(c.limit)];
    if (c.dt_smallest == 0 || c.dt < c.dt_smallest) c.dt_smallest = c.dt;
    if (c.dt > c.dt_largest) c.dt_largest = c.dt;
    const bool reached = c.dt >= c.target - c.time;
    c.time = reached ? c.target : c.time + c.dt;
    if (reached) c.stop |= kStopTarget;
    if (c.fault != ~std::uint64_t{0}) c.stop |= kStopDiverged;
  }
};

template <class Exec>
void begin_step(Exec& exec, const StepLimits* limits, StepControl* control) {
  launch_items(exec, {{nullptr, 1}, &control->stop}, BeginStep{limits, control});
}
template <class Exec>
void end_step(Exec& exec, StepControl* control) {
  launch_items(exec, {{nullptr, 1}, &control->stop}, EndStep{control});
}

}  // namespace firn
