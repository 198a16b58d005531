// The last guard of collisions: nodes keep material out of bodies as well as the grid resolves
// them; a particle that got deeper than half a cell all the same, at an edge or in front of a fast
// body, is put back to that depth. PHYSICS section 8.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/grid/blocks.h"
#include "kernels/grid/update.h"
#include "kernels/particles/layout.h"
#include "kernels/step/control.h"

namespace firn {

// Moves positions only, after G2P. Does nothing without colliders.
template <class Exec, int D, class Real>
void guard_particles(Exec& exec, const GridUpdateParams<Real, D>& params,
                     const ParticleView<Real>& particles, const GridView<Real>& grid,
                     std::uint32_t block_bound, const StepControl* control);

}  // namespace firn
