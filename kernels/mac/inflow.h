// Liquid that sources bring into liquid: what comes in there flows on, so that its cells are given
// the divergence of the flow and not the room alone.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/mac/mac_grid.h"
#include "kernels/step/control.h"

namespace firn {

// A share of a flow that comes into a cell.
template <int D, class Real>
struct InflowPoint {
  Vec<int, D> cell;
  Vec<Real, D> behind;  // m, in a cell upstream of the nozzle
  Real rate;            // m^D/s
};

template <int D, class Real>
struct InflowView {
  const InflowPoint<D, Real>* points = nullptr;  // by their cells
  const std::uint32_t* first = nullptr;          // per cell + 1
  double* work = nullptr;  // per cell: J, of the pressure on what comes in within the step
  std::uint32_t cells = 0;
};

// Onto the right-hand side that assemble_projection has left, for flows with liquid or a boundary
// behind them. A jet in air needs none: what flows in is all that is there.
template <class Exec, int D, class Real>
void feed_cells(Exec& exec, const GridUpdateParams<Real, D>& params,
                const InflowView<D, Real>& inflow, const GridView<Real>& grid,
                const MacView<Real>& mac, const StepControl* control);

// Leaves in inflow.work what the pressure of the step's last solve takes for it.
template <class Exec, int D, class Real>
void inflow_work(Exec& exec, const GridUpdateParams<Real, D>& params,
                 const InflowView<D, Real>& inflow, const GridView<Real>& grid,
                 const MacView<Real>& mac, const StepControl* control);

}  // namespace firn
