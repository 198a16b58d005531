// Mirror images of the particles beside walls, with which material goes on behind these: what is
// found from particles then has neither an edge nor a lip where it meets a wall.
#pragma once

#include <cstdint>
#include <vector>

#include "src/analysis/cell_lists.h"
#include "src/surface/walls.h"

namespace firn {

struct WallImages {
  std::vector<float> position;       // 3 of each
  std::vector<std::uint32_t> owner;  // the particle of each
};

// Of the particles in `cells` that are less than `reach` from a wall, and of their images in one
// wall those in the next, so that corners are full. `position` has all particles; of one that is
// not finite there is none.
WallImages images_in(const Walls& walls, const CellLists<3>& cells,
                     const std::vector<float>& position, double reach);

}  // namespace firn
