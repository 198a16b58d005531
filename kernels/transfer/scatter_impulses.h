// Impulses of particles whose momentum a fused step has left on the grid already.
#pragma once

#include "kernels/transfer/transfer.h"

namespace firn {

// Adds m dt a to GridView::momentum, dt that of the step to come (StepControl::next_dt), in the
// layout in which the fused step scattered: wide_parities colours per axis (tile.h). Particles that
// it left behind are not taken: P2G brings them with the velocities that they have then.
// `acceleration`, m/s^2, is a channel of d components whose chunks are counted from the first one
// that holds particles.
template <class Exec, int D, class Real>
void scatter_impulses(Exec& exec, const TransferParams& params, const ParticleView<Real>& particles,
                      const Real* acceleration, const GridView<Real>& grid,
                      const StepControl* control, std::uint32_t block_bound);

}  // namespace firn
