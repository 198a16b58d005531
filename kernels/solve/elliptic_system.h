// The symmetric linear system that the grid solvers share, on the active cells of the block-sparse
// grid with a 5- or 7-point stencil:
//   (A x)_c = sum over the 2D faces f of c of k_f (x_c - x_neighbour) + (dirichlet_c + mass_c) x_c.
// Channels are [block][64] in the cell order of fields/blocks.h, conductances [block][axis][64].
#pragma once

#include <cstdint>

#include "kernels/exec/launch.h"
#include "kernels/fields/blocks.h"

namespace firn {

// A cell whose coefficients are all 0 is inactive: its solution is 0, its right-hand side ignored.
template <class Real>
struct EllipticSystem {
  const std::uint64_t* keys = nullptr;  // of the blocks, ascending
  DeviceCount blocks;
  // k >= 0 of the lower face of each cell along each axis, where it couples the cell to the one
  // below. It must be 0 on a face that has no active cell on both sides.
  const Real* conductance = nullptr;
  const Real* dirichlet = nullptr;  // >= 0: couplings to known values, scaling like the Laplacian
  const Real* mass = nullptr;       // >= 0: a term of order zero; null where there is none
  const Real* rhs = nullptr;
  Real* solution = nullptr;  // in: the first guess, finite
  PeriodicBlocks periodic;
};

}  // namespace firn
