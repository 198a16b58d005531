// The first nodes behind walls that hold material both ways, as mirror images of those before them.
// Held at rest, as the nodes on the wall are, they would halve the strain along the normal of what
// lies on the wall: material that is squeezed there would give way into the wall.
#pragma once

#include "kernels/grid/update.h"

namespace firn {

// Adds what P2G has brought to an image to the node that it is the image of. The image is left
// without momentum and with its mass negative, which no pass takes for material.
template <class Exec, int D, class Real>
void fold_images(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                 std::uint32_t max_blocks, const StepControl* control);

// Behind the grid update: gives images the velocities of what they mirror, and both the masses that
// they had.
template <class Exec, int D, class Real>
void mirror_velocities(Exec& exec, const GridUpdateParams<Real, D>& params,
                       const GridView<Real>& grid, std::uint32_t max_blocks,
                       const StepControl* control);

}  // namespace firn
