// What bodies that change their shape displace beside moving their surface.
#pragma once

#include "kernels/grid/update.h"
#include "kernels/mac/mac_grid.h"

namespace firn {

// The right-hand side of the projection takes the flow through a body's surface for that through
// the closed parts of the faces of its cells. They differ by how much what is in between swells: a
// velocity that is that of the nearest point of the surface grows a ball of radius r by 2 v / r, as
// large a share of the flow as a cell is of r. Takes that off `mac.rhs` in the cells of the liquid,
// as assemble_projection has left it.
template <class Exec, int D, class Real>
void subtract_swelling(Exec& exec, const GridUpdateParams<Real, D>& params,
                       const GridView<Real>& grid, const MacView<Real>& mac,
                       std::uint32_t max_blocks, const StepControl* control);

}  // namespace firn
