// Sweeps over the cells of a block that has no neighbours, one colour after the other. On CUDA a
// warp holds the block in registers: a lane two cells next to each other along the last axis, one
// of each colour, so that a sweep reads what other lanes hold of the other colour. On the CPU
// sweeps go over strips (strip.h).
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"
#include "kernels/exec/strip.h"

namespace firn {

// diagonal value = rhs + sum of below and above times the values there, of one cell; 0 where the
// diagonal is.
template <int D, class Real>
struct LoneRow {
  Real* place;  // of the value
  Real rhs, diagonal, value;
  Real below[D], above[D];  // 0 beyond the block
};

#if defined(__CUDACC__)

// For a whole warp.
template <int D, class Real>
FIRN_HD inline void sweep_lone_block([[maybe_unused]] LoneRow<D, Real>& red,
                                     [[maybe_unused]] LoneRow<D, Real>& black,
                                     [[maybe_unused]] std::uint32_t lane,
                                     [[maybe_unused]] int sweeps) {
#if defined(__CUDA_ARCH__)
  const bool red_is_lower = cell_colour<D>(2 * lane) == 0;  // of the pair
  const auto sweep = [&](LoneRow<D, Real>& own, const Real other, bool lower) {
    const Real outer = __shfl_sync(~0u, other, static_cast<int>((lane + (lower ? 31 : 1)) % 32));
    Real b = own.rhs;
    b += own.below[D - 1] * (lower ? outer : other);
    b += own.above[D - 1] * (lower ? other : outer);
    constexpr int kUnrolled = D - 1;
    FIRN_UNROLL
    for (int a = 0; a < kUnrolled; ++a) {
      const std::uint32_t step = StripBlock<D>::stride(a) / 2;
      b += own.below[a] * __shfl_sync(~0u, other, static_cast<int>((lane + 32 - step) % 32));
      b += own.above[a] * __shfl_sync(~0u, other, static_cast<int>((lane + step) % 32));
    }
    own.value = own.diagonal != Real(0) ? b / own.diagonal : Real(0);
  };
  for (int pair = 0; pair < sweeps / 4; ++pair) {
    sweep(red, black.value, red_is_lower);
    sweep(black, red.value, !red_is_lower);
  }
  for (int pair = 0; pair < sweeps / 4; ++pair) {
    sweep(black, red.value, !red_is_lower);
    sweep(red, black.value, red_is_lower);
  }
  *red.place = red.value;
  *black.place = black.value;
#endif
}

// Sweeps, the second half in reverse, over those of `count` blocks from `first` on that are lone
// (a multiple of 4 of them): row_of(block, cell) is the row of a cell, sweep(colour) sweeps all of
// them by strips; each backend asks for one of the two. The caller synchronises.
template <int D, class Real, class Group, class IsLone, class RowOf, class Sweep>
FIRN_HD inline void sweep_lone_blocks(Group& g, std::uint32_t first, std::uint32_t count,
                                      int sweeps, IsLone&& is_lone, RowOf&& row_of, Sweep&&) {
  constexpr std::uint32_t kWarp = 32;
  g.for_each(count * kWarp, [&](std::uint32_t i) {
    const std::uint32_t block = first + i / kWarp, lane = i % kWarp, cell = 2 * lane;
    if (!is_lone(block)) return;
    const std::uint32_t odd = cell_colour<D>(cell);
    LoneRow<D, Real> red = row_of(block, cell + odd), black = row_of(block, cell + 1 - odd);
    sweep_lone_block(red, black, lane, sweeps);
  });
}

#else

template <int D, class Real, class Group, class IsLone, class RowOf, class Sweep>
inline void sweep_lone_blocks(Group&, std::uint32_t, std::uint32_t, int sweeps, IsLone&&, RowOf&&,
                              Sweep&& sweep) {
  for (int i = 0; i < sweeps; ++i) sweep(static_cast<std::uint32_t>(i + (i >= sweeps / 2)) % 2);
}

#endif

}  // namespace firn
