// Slopes of the pressure: what it does to the velocity of a face, and how it goes on within a cell.
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
    distance = surface_distance<D>(mac, above ? upper : lower, above ? lower : upper,
                                   axis_of_face<D>(face), above ? -1 : 1);
  return specific_volume(mac, mac.faces[face]) * grid.inv_dx * (q_above - q_below) / distance;
}

// d (p dt) / dx_axis of a fluid cell: the mean over its open faces along the axis, with p = 0 at
// the surface.
template <int D, class Real>
FIRN_HD inline Real pressure_gradient(const MacView<Real>& mac, const CellAddress& cell, int axis,
                                      Real dx) {
  const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell.cell));
  Real sum = Real(0);
  int count = 0;
  for (int side = 0; side < 2; ++side) {
    const CellAddress upper = cell_address<D>(mac, cell.block, stepped<D>(local, axis, side)),
                      lower = cell_address<D>(mac, cell.block, stepped<D>(local, axis, side - 1));
    const Real open = mac.area[face_index<D>(upper.block, axis, upper.cell)];
    if (!(open > Real(0))) continue;
    const CellAddress other = side == 0 ? lower : upper;
    const bool wet = is_fluid(mac, other);
    const Real rise =
        (wet ? mac.pressure[cell_index(other)] : Real(0)) - mac.pressure[cell_index(cell)];
    const Real steps = wet ? Real(1) : surface_distance<D>(mac, cell, other, axis, 2 * side - 1);
    sum += (side == 0 ? -rise : rise) / (steps * dx);
    ++count;
  }
  return count > 0 ? sum / static_cast<Real>(count) : Real(0);
}

}  // namespace firn
