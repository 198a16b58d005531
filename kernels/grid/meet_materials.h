// Contact between materials that move with velocity fields of their own.
#pragma once

#include "kernels/grid/update.h"

namespace firn {

// Of the momenta on nodes that several fields share, after P2G and before the grid update: what
// closes in on each other stops doing so, and rubs [Bardenhagen et al. 2001]; what is bonded has
// one velocity. Momentum is kept to rounding, and energy never grows. Where impulses are kept apart
// (separate_force) they take these. The normal is that of the plane that separates the materials of
// the nodes around best, by a linear fit where [Nairn et al. 2020] have a logistic one. How far
// apart they are is told by their shares of the volume around the node, as two half spaces would
// have them, and by no more than that may they close in within the step.
template <class Exec, int D, class Real>
void meet_materials(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                    std::uint32_t max_blocks, const StepControl* control);

}  // namespace firn
