// The parts of one multigrid cycle on a level: red-black Gauss-Seidel sweeps, the residual summed
// over aggregates for the next level, and the correction brought back. `colour` 0 is red.
#pragma once

#include "kernels/fluid/levels.h"

namespace firn {

// The red sweep from a guess of 0.
template <class Exec, int D, class Real>
void first_sweep(Exec& exec, const LevelView<Real>& level, std::uint32_t blocks,
                 const std::uint32_t* stop);

// Relaxes the cells of one colour. With `products` also stores sum of solution * rhs per block.
template <class Exec, int D, class Real>
void smooth(Exec& exec, const LevelView<Real>& level, std::uint32_t colour, double* products,
            std::uint32_t blocks, const std::uint32_t* stop);

// The right-hand side of the next coarser level, `coarse_rhs`. Isolated blocks are solved instead.
template <class Exec, int D, class Real>
void restrict_residual(Exec& exec, const LevelView<Real>& level, Real* coarse_rhs,
                       std::uint32_t blocks, const std::uint32_t* stop);

template <class Exec, int D, class Real>
void prolong(Exec& exec, const LevelView<Real>& level, const Real* coarse_solution,
             std::uint32_t blocks, const std::uint32_t* stop);

}  // namespace firn
