#pragma once

#include "kernels/particles/accelerate.h"
#include "kernels/step/step.h"

namespace firn {

struct PlanKick {
  static constexpr const char* kName = "plan_kick";
  KickPlace place;
  StepControl* control;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    StepControl& c = *control;
    const bool on_grid = place == KickPlace::kGrid;
    const bool skips = c.stop != 0 || c.kicked != 0 || (on_grid && c.carried == 0);
    c.skip_kick = skips ? 1 : 0;
    if (on_grid && !skips) c.kicked = 1;
  }
};

template <int D, class Real>
struct Accelerate {
  static constexpr const char* kName = "accelerate";
  static constexpr int kThreads = 32;
  struct Scratch {
    double squared[kLanes];  // of the accelerations
  };
  ParticleView<Real> particles;
  const Real* acceleration;
  Kick kick;
  StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t chunk = control->first_chunk + g.index();
    const std::uint32_t count = particles.chunks[chunk].count;
    const Real dt = static_cast<Real>(control->carried != 0 ? control->next_dt : control->dt);
    g.for_each(kLanes, [&](std::uint32_t lane) {
      double& squared = g.scratch.squared[lane];
      squared = 0;
      if (lane >= count) return;
      bool whole = true;
      for (int a = 0; a < D; ++a) {
        const Real by = channel_row(acceleration, g.index(), D, a)[lane];
        Real& v = channel_row(particles.v, chunk, D, a)[lane];
        v += dt * by;
        squared += static_cast<double>(by) * static_cast<double>(by);
        whole = whole && abs(v) <= kLargest<Real>;
      }
      if (whole) return;
      const Fault fault = kick.stops ? Fault::kAcceleration : Fault::kVelocity;
      g.atomic_min(control->fault, pack_fault(fault, channel_row(particles.id, chunk, 1, 0)[lane]));
      if (kick.stops) raise(g, control, kStopDiverged);
    });
    if (!kick.bounds) return;
    g.sync();
    g.once([&] {
      double largest = 0;
      for (int lane = 0; lane < kLanes; ++lane)
        if (g.scratch.squared[lane] > largest) largest = g.scratch.squared[lane];
      g.atomic_max(control->force_squared, largest);
    });
  }
};

struct BoundKick {
  static constexpr const char* kName = "bound_kick";
  static constexpr double kBeyond = 1.05;  // of the bound: drag grows a little as steps shrink
  const StepLimits* limits;
  StepControl* control;

  template <class Device>
  FIRN_HD void operator()(Device& device, std::uint32_t) const {
    const StepControl& c = *control;
    if (limits->bounds_forces == 0 || !(c.force_squared > 0) || c.force_squared > kLargest<double>)
      return;
    if (c.dt > kBeyond * force_bound(*limits, c)) raise(device, control, kStopForce);
  }
};

template <class Exec>
void plan_kick(Exec& exec, KickPlace place, StepControl* control) {
  launch_items(exec, {{nullptr, 1}, nullptr}, PlanKick{place, control});
}

template <class Exec, int D, class Real>
void accelerate(Exec& exec, const ParticleView<Real>& particles, const Real* acceleration,
                std::uint32_t max_chunks, Kick kick, StepControl* control) {
  launch_groups(exec, {{&control->n_chunks, max_chunks}, &control->skip_kick},
                Accelerate<D, Real>{particles, acceleration, kick, control});
}

template <class Exec>
void bound_kick(Exec& exec, const StepLimits* limits, StepControl* control) {
  launch_items(exec, {{nullptr, 1}, &control->skip_kick}, BoundKick{limits, control});
}

}  // namespace firn
