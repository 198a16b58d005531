// Velocities of the nodes on their way to somebody else's boundary condition and back: between the
// grid update and the gather, in arrays of their own, so that whoever writes them can break nothing
// else.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fields/blocks.h"
#include "kernels/step/control.h"

namespace firn {

// Rows of 64 nodes, a block's; `position` and `velocity` have d of them for each block.
template <class Real>
struct NodeArrays {
  Real* position = nullptr;  // m
  Real* mass = nullptr;      // kg; 0 where nothing is
  Real* velocity = nullptr;  // m/s
};

// Copies what the grid update has left. Along periodic axes positions are those of the first round.
template <class Exec, int D, class Real>
void give_nodes(Exec& exec, const GridView<Real>& grid, const NodeArrays<Real>& arrays,
                std::uint32_t max_blocks, const StepControl* control);

// Takes the velocities of nodes with mass back, and what they have changed by into the increments
// where the grid has them. `stage_energies` as in GridUpdateParams: the boundary's is measured
// anew.
template <class Exec, int D, class Real>
void take_nodes(Exec& exec, const GridView<Real>& grid, const NodeArrays<Real>& arrays,
                double* stage_energies, std::uint32_t max_blocks, const StepControl* control);

}  // namespace firn
