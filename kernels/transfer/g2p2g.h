// The fused step: one pass over the particles reads the velocities of this step from the grid,
// moves the particles, advances their deformation and stress, and scatters the momentum of the next
// step. Velocities, coefficients, gradients and stresses stay in registers between two steps, and
// particles keep their place in memory as long as the tile of their home block holds their stencil.
#pragma once

#include "kernels/grid/update.h"
#include "kernels/materials/constitutive.h"
#include "kernels/transfer/transfer.h"

namespace firn {

// Needs a grid with GridView::around and wide_parities(degree, d) parities per axis (tile.h). With
// StepControl::fuse it adds to GridView::momentum and ::impulse what P2G would at the start of the
// next step; without, it stores velocities, coefficients and stresses as G2P and the constitutive
// step do. Particles that went further than the tile reaches are marked (ParticleView::late) and
// stored in either case. Faults and maxima go to `control`.
template <class Exec, int D, class Real>
void g2p2g(Exec& exec, const TransferParams& params, const ParticleBounds<Real, D>& bounds,
           const GridUpdateParams<Real, D>& bodies, const MaterialParams<Real>* materials,
           const EnergyView& energies, const ParticleView<Real>& particles,
           const GridView<Real>& grid, StepControl* control, std::uint32_t block_bound);

}  // namespace firn
