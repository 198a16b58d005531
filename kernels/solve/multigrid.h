// The parts of one multigrid cycle on a level: red-black Gauss-Seidel sweeps, which bring the
// correction of the next coarser level back, and the residual summed over aggregates for it; and
// the whole cycle of the coarse levels.
#pragma once

#include "kernels/solve/levels.h"

namespace firn {

inline constexpr std::uint32_t kRed = 0, kBlack = 1;

// Levels of at most this many blocks are cycled through by one team, in one launch.
inline constexpr std::uint32_t kCoarseBlocks = 64;

template <int D>
FIRN_HD constexpr bool is_visited_twice(int level, std::uint32_t blocks, bool coarsest) {
  // The coarsest level is solved well in one visit.
  return level > 0 && branches<D>(level, blocks) && !coarsest;
}

// Pairs of sweeps, there and back, on a coarsest level of more than one block. A ring that ends
// early is longer.
FIRN_HD inline std::uint32_t stuck_sweeps(const LevelTable& table) {
  if (table.stuck == 0) return 0;
  return table.ring != 0 ? 16 : 4;
}
// The colour of sweep i of 4 `pairs`: symmetric, so that the second half undoes the order of the
// first.
FIRN_HD inline std::uint32_t stuck_colour(std::uint32_t i, std::uint32_t pairs) {
  return i < 2 * pairs ? i % 2 : 1 - i % 2;
}

// Relaxes the cells of `colour`. With `coarse`, the solution of the next coarser level, that is
// first added to the cells of the other colour; the sweep after it must be of that colour. With
// `products` also stores sum of solution * rhs per block.
template <class Real>
struct Sweep {
  std::uint32_t colour = kRed;
  const Real* coarse = nullptr;
  double* products = nullptr;
};
template <class Exec, int D, class Real>
void smooth(Exec& exec, const LevelView<Real>& level, const Sweep<Real>& sweep,
            std::uint32_t blocks, const std::uint32_t* stop);

// The red sweep from a guess of 0.
template <class Exec, int D, class Real>
void first_sweep(Exec& exec, const LevelView<Real>& level, std::uint32_t blocks,
                 const std::uint32_t* stop);

// The right-hand side of the next coarser level, `coarse_rhs`. Isolated blocks are solved instead.
template <class Exec, int D, class Real>
void restrict_residual(Exec& exec, const LevelView<Real>& level, Real* coarse_rhs,
                       std::uint32_t blocks, const std::uint32_t* stop);

// The symmetric cycle from level `top` > 0 down, from a guess of 0 there.
template <class Exec, int D, class Real>
void coarse_cycle(Exec& exec, const Hierarchy<Real>& hierarchy, int top, const std::uint32_t* stop);

}  // namespace firn
