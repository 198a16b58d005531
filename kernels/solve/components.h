// Connected components of active cells that nothing ties to a known value ("singular": a closed box
// full of water, a pocket between walls). Their solution is free up to a constant and their
// right-hand side must sum to 0; these operators find them and remove means from a channel. Sums
// are of 64-bit integers, so they do not depend on the order of threads.
#pragma once

#include <bit>
#include <cmath>

#include "kernels/solve/elliptic_gradients.h"

namespace firn {

// A label is the number of a cell of the same component or, at a root that is settled, flags; at
// the end kSingular and the component's number, or anything else for cells of no singular
// component.
inline constexpr std::uint32_t kGrounded = 1u << 31, kSingular = 1u << 30;
inline constexpr std::uint32_t kNoLabel = kGrounded | kSingular;
FIRN_HD inline bool is_singular(std::uint32_t label) { return label >> 30 == 1; }
FIRN_HD inline bool is_flagged(std::uint32_t label) { return label >> 30 != 0; }

// Cells are numbered with 30 bits, beside two flags.
inline constexpr std::uint32_t kMaxEllipticBlocks = 1u << 24;

// Fixed point: units so small that the sum over all cells just fits into 63 bits.
struct SumScale {
  int bits;  // of the largest magnitude
  static SumScale of(std::uint32_t blocks) {
    return {62 - static_cast<int>(std::bit_width(std::uint64_t{blocks} * 64))};
  }
  FIRN_HD double unit(double largest) const {
    return largest / static_cast<double>(std::int64_t{1} << bits);
  }
};

template <class Real>
struct ComponentView {
  LevelView<Real> level;
  std::uint32_t* labels = nullptr;                   // per cell
  std::uint32_t *flags = nullptr, *ranks = nullptr;  // max_blocks, max_blocks + 1
  // Per singular component; `cells` negative: a term of the system ties it, it is singular no more.
  std::int64_t *sums = nullptr, *cells = nullptr;
  std::uint32_t max_blocks = 0;
  SolveControl* control = nullptr;
};

// Labels each cell with the root (the first cell) of its component and counts the singular ones.
template <class Exec, int D, class Real>
void find_components(Exec& exec, const ComponentView<Real>& view, DeviceCount blocks,
                     const std::uint32_t* stop);

// Numbers the singular components and counts their cells; `sums` and `cells` must hold all of them.
template <class Exec, int D, class Real>
void number_components(Exec& exec, const ComponentView<Real>& view, std::uint32_t components,
                       std::uint32_t blocks);

// For a system without the term: what that has tied is singular.
template <class Exec>
void untie_components(Exec& exec, std::int64_t* cells, std::uint32_t components);

// Subtracts the mean of each singular component from the channel. The control block's residual must
// hold a bound on its magnitudes (`measured`), or is found here; it is the largest magnitude
// afterwards.
template <class Exec, int D, class Real>
void remove_means(Exec& exec, const ComponentView<Real>& view, Real* channel, bool measured,
                  double* partials, std::uint32_t components, std::uint32_t blocks,
                  const std::uint32_t* stop);

}  // namespace firn
