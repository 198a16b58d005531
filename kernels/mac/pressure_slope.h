// What the pressure does to the velocity of a face.
#pragma once

#include "kernels/mac/mac_grid.h"

namespace firn {

// w grad(p dt) at a face between two cells, with p = 0 at the surface towards the one that is not
// fluid.
template <int D, class Real>
FIRN_HD inline Real pressure_slope(const GridView<Real>& grid, const MacView<Real>& mac,
                                   std::uint64_t face, const CellAddress& upper, bool above,
                                   const CellAddress& lower, bool below) {
  const Real q_above = above ? mac.pressure[cell_index(upper)] : Real(0),
             q_below = below ? mac.pressure[cell_index(lower)] : Real(0);
  Real distance = Real(1);
  if (above != below)
    distance = surface_distance<D>(mac, above ? upper : lower, above ? lower : upper);
  return specific_volume(mac, mac.faces[face]) * grid.inv_dx * (q_above - q_below) / distance;
}

}  // namespace firn
