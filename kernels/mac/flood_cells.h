// Which cells are liquid, beyond those that hold particles.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/mac/mac_grid.h"
#include "kernels/step/control.h"

namespace firn {

// Where a round body comes near another or a wall, liquid fills the gap between them, narrower than
// a cell over sqrt(2 radius dx); as air it would suck the body on. With bodies that material moves
// it is looked for by so many cells.
inline constexpr int kNarrowPasses = 8;

// Where fill_cells has run (`filled`) and the surface is a ghost fluid's, cells less than half full
// are no longer fluid. Cells whose centre lies in a body become fluid where fluid can flow in from
// a neighbour, and so do cells from which every open face leads to fluid, or that are filled to
// half. Faces between them may have no velocity yet: extrapolate_faces gives them one.
template <class Exec, int D, class Real>
void flood_cells(Exec& exec, const GridUpdateParams<Real, D>& params, bool filled,
                 const GridView<Real>& grid, const MacView<Real>& mac, std::uint32_t max_blocks,
                 const StepControl* control);

}  // namespace firn
