#pragma once

#include "kernels/particles/accelerate.h"

namespace firn {

template <int D, class Real>
struct Accelerate {
  static constexpr const char* kName = "accelerate";
  static constexpr int kThreads = 32;
  struct Scratch {};
  ParticleView<Real> particles;
  const Real* acceleration;
  bool stops;
  StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t chunk = control->first_chunk + g.index();
    const std::uint32_t count = particles.chunks[chunk].count;
    const Real dt = static_cast<Real>(control->carried != 0 ? control->next_dt : control->dt);
    g.for_each(kLanes, [&](std::uint32_t lane) {
      if (lane >= count) return;
      bool whole = true;
      for (int a = 0; a < D; ++a) {
        Real& v = channel_row(particles.v, chunk, D, a)[lane];
        v += dt * channel_row(acceleration, g.index(), D, a)[lane];
        whole = whole && abs(v) <= kLargest<Real>;
      }
      if (whole) return;
      g.atomic_min(control->fault,
                   pack_fault(Fault::kVelocity, channel_row(particles.id, chunk, 1, 0)[lane]));
      if (stops) raise(g, control, kStopDiverged);
    });
  }
};

template <class Exec, int D, class Real>
void accelerate(Exec& exec, const ParticleView<Real>& particles, const Real* acceleration,
                std::uint32_t max_chunks, bool stops, StepControl* control) {
  launch_groups(exec, {{&control->n_chunks, max_chunks}, &control->stop},
                Accelerate<D, Real>{particles, acceleration, stops, control});
}

}  // namespace firn
