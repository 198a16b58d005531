// The constitutive step as an operator: F follows the velocity gradient, plastic flow returns it to
// the yield surface, and the stress of the next step is evaluated, chunk by chunk on SIMD packs
// (CPU) or one lane per thread (CUDA).
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fields/particles.h"
#include "kernels/materials/params.h"
#include "kernels/step/control.h"

namespace firn {

// Where the operator leaves per-pack sums for the ledger, counted from the first pack that holds
// particles; null: not wanted.
struct EnergyView {
  double* elastic = nullptr;  // J, after plastic flow
  double* trial = nullptr;    // J, before plastic flow
};
// Packs of a chunk, for the size of those arrays.
template <class Exec, class Real>
int packs_per_chunk();

// Without a gradient in the view, that of particles at rest.
template <class Exec, int D, class Real>
void constitutive_step(Exec& exec, const MaterialParams<Real>* materials,
                       const ParticleView<Real>& particles, const EnergyView& energies,
                       std::uint32_t max_chunks, StepControl* control);

}  // namespace firn
