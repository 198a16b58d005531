#pragma once

#include <cmath>

#include "kernels/fields/first_round.h"
#include "kernels/particles/force_fields.h"

namespace firn {

template <int D, class Real>
struct EvaluateForces {
  static constexpr const char* kName = "evaluate_forces";
  static constexpr int kThreads = 32;
  struct Scratch {
    double work[kLanes];
  };
  ParticleView<Real> particles;
  ForceFields<Real> fields;
  Real* acceleration;
  double* work;
  StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t chunk = control->first_chunk + g.index();
    const Chunk of = particles.chunks[chunk];
    const double dt = control->carried != 0 ? control->next_dt : control->dt;
    g.for_each(kLanes, [&](std::uint32_t lane) {
      double& done = g.scratch.work[lane];
      done = 0;
      if (lane >= of.count) return;
      Vec<Real, D> x;
      for (int a = 0; a < D; ++a)
        x[a] = in_first_round<D>(fields.periodic, a, fields.dx, Real(1) / fields.dx,
                                 channel_row(particles.x, chunk, D, a)[lane]);
      const FieldPoint at = field_point<D>(x, control->time + 0.5 * dt);
      double drag = 0, rate[D] = {};
      for (std::int32_t f = 0; f < fields.count; ++f) {
        const ForceFieldView<Real>& force = fields.forces[f];
        if (fields.acts[f * fields.materials + static_cast<std::int32_t>(of.material)] == 0)
          continue;
        if (force.region.count > 0 && !(signed_distance<D>(force.region, x) < Real(0))) continue;
        for (int a = 0; a < D; ++a) {
          rate[a] += value(g, force.acceleration + a, at);
          if (force.drag > 0) rate[a] += force.drag * value(g, force.velocity + a, at);
        }
        drag += force.drag;
      }
      const double share = drag > 0 ? -std::expm1(-drag * dt) / (drag * dt) : 1;
      for (int a = 0; a < D; ++a) {
        const double v = static_cast<double>(channel_row(particles.v, chunk, D, a)[lane]);
        const double mean = share * (rate[a] - drag * v);
        channel_row(acceleration, g.index(), D, a)[lane] = static_cast<Real>(mean);
        done += mean * (v + 0.5 * dt * mean);
      }
      done *= dt * static_cast<double>(channel_row(particles.mass, chunk, 1, 0)[lane]);
    });
    g.sync();
    g.once([&] {
      double sum = 0;
      for (int lane = 0; lane < kLanes; ++lane) sum += g.scratch.work[lane];
      work[g.index()] = sum;
    });
  }

 private:
  template <class Group>
  FIRN_HD double value(const Group& g, std::int32_t field, const FieldPoint& at) const {
    const double value = field_at(fields.programs[field], at);
    if (std::fabs(value) <= static_cast<double>(kLargest<float>)) return value;
    raise_field(g, *fields.fault, field, at, value, control);
    return 0;
  }
};

template <class Exec, int D, class Real>
void evaluate_forces(Exec& exec, const ParticleView<Real>& particles,
                     const ForceFields<Real>& fields, Real* acceleration, double* work,
                     std::uint32_t max_chunks, StepControl* control) {
  launch_groups(exec, {{&control->n_chunks, max_chunks}, &control->skip_kick},
                EvaluateForces<D, Real>{particles, fields, acceleration, work, control});
}

}  // namespace firn
