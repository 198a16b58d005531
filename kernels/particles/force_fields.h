// Forces of a scene beside gravity: accelerations of particles by expressions of place and time,
// and air that drags them along.
#pragma once

#include <cstdint>

#include "kernels/collide/sdf.h"
#include "kernels/exec/backend.h"
#include "kernels/fields/blocks.h"
#include "kernels/fields/particles.h"
#include "kernels/step/field_fault.h"

namespace firn {

template <class Real>
struct ForceFieldView {
  SdfProgram<Real> region;    // empty: everywhere
  std::int32_t acceleration;  // the first of d programs, m/s^2
  std::int32_t velocity;      // likewise, of the air, m/s
  double drag;                // 1/s
};

template <class Real>
struct ForceFields {
  const FieldProgram* programs = nullptr;
  FieldFault* fault = nullptr;
  const ForceFieldView<Real>* forces = nullptr;
  std::int32_t count = 0;
  const std::uint8_t* acts = nullptr;  // [force][material]
  std::int32_t materials = 0;
  PeriodicBlocks periodic;
  Real dx = 0;
};

// `acceleration`, m/s^2, a channel of d components as `accelerate` takes it: the mean over its dt
// of dv/dt = sum of accelerations + sum of drag (air - v), each as in the middle of the step and
// where the particle is; exact for what does not change meanwhile, so that no drag is too strong
// for a step. `work`: J, of each chunk, what that does to the kinetic energy of its particles. An
// expression that is not finite stops the step with kStopField.
template <class Exec, int D, class Real>
void evaluate_forces(Exec& exec, const ParticleView<Real>& particles,
                     const ForceFields<Real>& fields, Real* acceleration, double* work,
                     std::uint32_t max_chunks, StepControl* control);

}  // namespace firn
