// Where contact finds the material: which colliders may touch a block, and where the surface of the
// material lies that its nodes feel.
#pragma once

#include "kernels/grid/update.h"

namespace firn {

// Fills params.near and params.surfaces from what P2G has left on the nodes, once colliders are
// posed. `reach`: how far outside of colliders nodes look for a surface as well, at most two cells,
// m.
template <class Exec, int D, class Real>
void find_surfaces(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                   Real reach, std::uint32_t max_blocks, const StepControl* control);

}  // namespace firn
