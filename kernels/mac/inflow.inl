#pragma once

#include "kernels/mac/boundary_geometry.h"
#include "kernels/mac/inflow.h"

namespace firn {

template <int D, class Real>
struct InflowCells {
  BoundaryGeometry<D, Real> boundary;
  MacView<Real> mac;
  InflowView<D, Real> inflow;

  FIRN_HD Vec<int, D> cell_of(std::uint32_t i) const { return inflow.points[inflow.first[i]].cell; }
  FIRN_HD CellAddress address_of(const Vec<int, D>& cell) const {
    Vec<int, D> block, local;
    for (int a = 0; a < D; ++a) {
      block[a] = cell[a] >> BlockTraits<D>::kShift;
      local[a] = cell[a] & (BlockTraits<D>::kSide - 1);
    }
    const GridView<Real>& grid = boundary.grid;
    const std::uint32_t slot = grid.hash.find(block_key<D>(grid.periodic.wrapped(block)));
    return {slot == kNoBlock ? kNoBlock : grid.hash.ranks[slot],
            static_cast<std::uint32_t>(node_in_block<D>(local))};
  }
  // m^D/s, of what has no air behind it.
  FIRN_HD Real rate_of(std::uint32_t i) const {
    Real rate = Real(0);
    for (std::uint32_t p = inflow.first[i]; p < inflow.first[i + 1]; ++p)
      if (is_backed(inflow.points[p].behind)) rate += inflow.points[p].rate;
    return rate;
  }
  FIRN_HD bool is_backed(const Vec<Real, D>& x) const {
    Vec<int, D> cell;
    for (int a = 0; a < D; ++a) cell[a] = static_cast<int>(floor(x[a] * boundary.grid.inv_dx));
    return is_fluid(mac, address_of(cell)) || boundary.distance(x) <= Real(0);
  }
};

template <int D, class Real>
struct FeedCells {
  static constexpr const char* kName = "feed_cells";
  InflowCells<D, Real> cells;
  Real inverse_cell;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    const CellAddress at = cells.address_of(cells.cell_of(i));
    if (is_fluid(cells.mac, at)) cells.mac.rhs[cell_index(at)] += inverse_cell * cells.rate_of(i);
  }
};

template <class Exec, int D, class Real>
void feed_cells(Exec& exec, const GridUpdateParams<Real, D>& params,
                const InflowView<D, Real>& inflow, const GridView<Real>& grid,
                const MacView<Real>& mac, const StepControl* control) {
  Real inverse_cell = Real(1);
  for (int a = 0; a < D; ++a) inverse_cell *= grid.inv_dx;
  launch_items(exec, {{nullptr, inflow.cells}, &control->stop},
               FeedCells<D, Real>{{{params, grid}, mac, inflow}, inverse_cell});
}

template <int D, class Real>
struct InflowWork {
  static constexpr const char* kName = "inflow_work";
  InflowCells<D, Real> cells;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    const CellAddress at = cells.address_of(cells.cell_of(i));
    cells.inflow.work[i] = is_fluid(cells.mac, at)
                               ? double{cells.mac.pressure[cell_index(at)]} * cells.rate_of(i)
                               : 0.0;
  }
};

template <class Exec, int D, class Real>
void inflow_work(Exec& exec, const GridUpdateParams<Real, D>& params,
                 const InflowView<D, Real>& inflow, const GridView<Real>& grid,
                 const MacView<Real>& mac, const StepControl* control) {
  launch_items(exec, {{nullptr, inflow.cells}, &control->stop},
               InflowWork<D, Real>{{{params, grid}, mac, inflow}});
}

}  // namespace firn
