// Sums over all particles for the ledger: mass, momenta, kinetic and potential energy, volume, in
// double and in a fixed order. Modes count as on the stencils of TransferParams: collocated or
// staggered.
#pragma once

#include "firn/kinds.h"
#include "kernels/exec/backend.h"
#include "kernels/fields/particles.h"
#include "kernels/step/control.h"
#include "kernels/transfer/transfer.h"

namespace firn {

// Columns of the table, one row per chunk. Vectors have three columns in 2D too.
enum TotalsColumn {
  kTotalMass = 0,
  kTotalMomentum = 1,
  kTotalAngular = 4,
  kTotalMoment = 7,
  kTotalKinetic = 10,
  kTotalVolume = 11,
  kTotalsColumns = 12
};

// `models` has the law of each material; null leaves the volume 0.
template <class Exec, int D, class Real>
void particle_totals(Exec& exec, const TransferParams& transfer, const MaterialModel* models,
                     const ParticleView<Real>& particles, Real inv_dx, std::uint32_t max_chunks,
                     double* table, const StepControl* control);

}  // namespace firn
