// Particles go to where backward Euler puts them [T A.6.2]: x = x_n + dt v(x), with the field v of
// the nodes' new velocities. What stands still, such as a body, nothing can run into so. Nodes that
// no mass has reached have no velocity: v is the mean of the others, or the front of a body in free
// flight would be held back by the void before it.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fields/blocks.h"
#include "kernels/fields/particles.h"
#include "kernels/step/control.h"
#include "kernels/transfer/transfer.h"

namespace firn {

// After G2P, which has moved the particles from `before`, a channel of positions; quadratic and
// cubic kernels.
template <class Exec, int D, class Real>
void settle_positions(Exec& exec, const TransferParams& params,
                      const ParticleBounds<Real, D>& bounds,
                      const GridUpdateParams<Real, D>& bodies, const ParticleView<Real>& particles,
                      const Real* before, const GridView<Real>& grid, StepControl* control,
                      std::uint32_t block_bound);

}  // namespace firn
