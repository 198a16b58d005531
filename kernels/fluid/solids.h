// What solids and liquid do to each other beyond the pressure equation: velocities inside solids,
// which particles beside them read, and the forces of the pressure on bodies.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fluid/mac_grid.h"
#include "kernels/step/control.h"

namespace firn {

// On closed faces inside solids: the solid's velocity (sticky), or the extrapolated one without its
// normal part relative to the solid. Goes to kFaceSolidVelocity of every face, since neighbours
// still read kFaceVelocity; complete_faces takes it from there.
template <class Exec, int D, class Real>
void constrain_faces(Exec& exec, const GridUpdateParams<Real, D>& params,
                     const GridView<Real>& grid, const MacView<Real>& mac, std::uint32_t max_blocks,
                     const StepControl* control);

// Impulse and angular impulse of the pressure of this step on each body, per block, in
// params.reactions as grid_update leaves them. Takes the pressure and the areas of the last solve.
template <class Exec, int D, class Real>
void pressure_reactions(Exec& exec, const GridUpdateParams<Real, D>& params,
                        const GridView<Real>& grid, const MacView<Real>& mac,
                        std::uint32_t max_blocks, const StepControl* control);

}  // namespace firn
