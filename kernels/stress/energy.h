// Heat, elastic energy and volume of materials that are solid and liquid, for the ledger: in double
// and in a fixed order.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fields/particles.h"
#include "kernels/heat/conduction.h"
#include "kernels/materials/params.h"
#include "kernels/step/control.h"

namespace firn {

// Columns of the table: J, J, m^d.
enum MaterialEnergy { kEnergyHeat, kEnergyElastic, kEnergyVolume, kMaterialEnergies };

// One row per chunk.
template <class Exec, int D, class Real>
void material_energies(Exec& exec, const MaterialParams<Real>* laws,
                       const ParticleView<Real>& particles, const HeatView<Real>& heat,
                       std::uint32_t max_chunks, double* table, const StepControl* control);

}  // namespace firn
