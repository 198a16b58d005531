#pragma once

#include "kernels/step/step.h"

namespace firn {

// What of the step has to be done: without a carried momentum everything; with one a new layout
// only where particles might leave the reach of their block's tile.
struct OpenStep {
  static constexpr const char* kName = "open_step";
  double inv_dx;
  StepControl* control;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    StepControl& c = *control;
    const bool late = c.late != 0;
    const bool stays = c.carried != 0 && !late && c.grid_saved == 0 && within_reach(c);
    // Where CUDA cannot leave out the launches of a layout, each of them must know that it stays:
    // the flags of its parts say so until OpenLayout chooses among them.
    c.skip_layout = c.skip_near = c.skip_sort = c.stop != 0 || stays ? 1 : 0;
    c.skip_particles = c.stop != 0 || (c.carried != 0 && !late) ? 1 : 0;
    // With momentum in the particles' channels, these are not free to take in others.
    c.skip_bank_change = c.skip_layout != 0 || c.skip_particles == 0 ? 1 : 0;
    c.skip_permute = c.skip_particles;
  }
  // A tile reaches one cell beyond its block. Where speeds grow in a step, a particle may be late
  // all the same.
  FIRN_HD bool within_reach(const StepControl& c) const {
    return c.overshoot + c.next_dt * sqrt(c.speed_squared) * inv_dx < 1;
  }
};

inline constexpr double kSame = 1e-9;  // of a dt, by which it may miss a target

// Chooses dt: of this step from the last one's maxima, or, a step ahead, of the next one.
struct BeginStep {
  static constexpr const char* kName = "begin_step";
  const StepLimits* limits;
  StepPlan plan;
  StepControl* control;

  struct Bound {
    double dt;
    StepLimit limit;
    std::uint32_t material;
    FIRN_HD void tighten(double other, StepLimit by, std::uint32_t of = 0) {
      if (other < dt) *this = {other, by, of};
    }
  };

  template <class Device>
  FIRN_HD void operator()(Device& device, std::uint32_t) const {
    StepControl& c = *control;
    c.previous_dt = c.dt;
    const Bound latest = bound(c);
    Bound now = plan == StepPlan::kFresh || c.ahead == 0
                    ? latest
                    : Bound{c.ahead, c.ahead_limit, c.ahead_material};
    now.tighten(limits->dt_max, StepLimit::kMaximum);  // which may be another one than before
    if (now.dt < limits->dt_min) {
      c.dt = now.dt;
      c.limit = now.limit;
      c.limit_material = now.material;
      c.fault = pack_fault(Fault::kTimeStep, 0);
      return raise(device, control, kStopDiverged);
    }
    const double left = c.target - c.time;
    if (c.carried == 0) {
      c.next_dt = fitted(now.dt, left);
      c.next_limit = c.next_dt < now.dt ? StepLimit::kFrameEnd : now.limit;
    }
    c.dt = c.next_dt;
    c.limit = c.next_limit;
    // Else the last one that a material did limit: a frame may tell of it.
    if (now.limit == StepLimit::kWaveSpeed || now.limit == StepLimit::kViscosity)
      c.limit_material = now.material;
    c.speed_squared = c.force_squared = 0;
    for (std::uint32_t m = 0; m < limits->materials; ++m) c.wave_squared[m] = 0;
    c.overshoot = 0;
    c.late_total += c.late;
    c.late = 0;
    c.ahead = latest.dt;
    c.ahead_limit = latest.limit;
    c.ahead_material = latest.material;
    c.next_dt = fitted(latest.dt, c.target - (c.time + c.dt));
    c.next_limit = c.next_dt < latest.dt ? StepLimit::kFrameEnd : latest.limit;
    const bool told = plan == StepPlan::kFusedWithVelocities;
    const bool fuses = plan == StepPlan::kFused || told;
    c.fuse = fuses && c.dt < left && c.step + 1 != c.last_step ? 1 : 0;
    c.velocities = told ? 1 : 0;
  }

  FIRN_HD Bound bound(const StepControl& c) const {
    Bound b{limits->dt_max, StepLimit::kMaximum, 0};
    if (c.speed_squared > 0)
      b.tighten(limits->cfl * limits->dx / sqrt(c.speed_squared), StepLimit::kVelocity);
    if (limits->bounds_forces != 0 && c.force_squared > 0)
      b.tighten(force_bound(*limits, c), StepLimit::kForce);
    for (std::uint32_t m = 0; m < limits->materials; ++m) {
      const double density = c.lightest[m] > 0 ? c.lightest[m] : 1;  // over the material's
      if (c.wave_squared[m] > 0)
        b.tighten(limits->cfl_material * limits->dx * sqrt(density / c.wave_squared[m]),
                  StepLimit::kWaveSpeed, m);
      if (c.n_particles > 0) b.tighten(limits->viscous_dt[m] * density, StepLimit::kViscosity, m);
    }
    if (c.retry_dt > 0) b.tighten(c.retry_dt, StepLimit::kSolver);
    return b;
  }

  // The last two steps before the target share what is left, so that none is a sliver. What times
  // of frames differ by in their last digits makes no second step.
  FIRN_HD static double fitted(double dt, double left) {
    if (dt * (1 + kSame) >= left) return left;
    return 2 * dt > left ? 0.5 * left : dt;
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
    c.kicked = 0;
    ++c.frame_steps;
    ++c.limited[static_cast<int>(c.limit)];
    if (c.dt_smallest == 0 || c.dt < c.dt_smallest) c.dt_smallest = c.dt;
    if (c.dt > c.dt_largest) c.dt_largest = c.dt;
    const double left = c.target - c.time;
    const bool reached = c.dt >= left;
    // A momentum that is carried over belongs to a dt that was chosen for another target.
    const bool beyond = c.dt > left * (1 + kSame);
    c.time = reached && !beyond ? c.target : c.time + c.dt;
    if (reached) c.stop |= kStopTarget;
    if (c.fault != ~std::uint64_t{0}) c.stop |= kStopDiverged;
    c.carried = c.fuse;
    c.grid_saved = 0;
  }
};

template <class Exec>
void open_step(Exec& exec, double dx, StepControl* control) {
  launch_items(exec, {{nullptr, 1}, nullptr}, OpenStep{1 / dx, control});
}
template <class Exec>
void begin_step(Exec& exec, const StepLimits* limits, StepPlan plan, StepControl* control) {
  launch_items(exec, {{nullptr, 1}, &control->stop}, BeginStep{limits, plan, control});
}
template <class Exec>
void end_step(Exec& exec, StepControl* control) {
  launch_items(exec, {{nullptr, 1}, &control->stop}, EndStep{control});
}

}  // namespace firn
