#pragma once

#include "kernels/solve/block_sum.h"
#include "kernels/solve/krylov.h"
#include "kernels/solve/reduce_blocks.h"

namespace firn {

FIRN_HD inline bool finite(double v) { return magnitude<double>(v) <= kLargest<double>; }
FIRN_HD inline void fail(KrylovControl& c) { c.failed = c.done = 1; }
FIRN_HD inline double tolerance_for(const KrylovControl& c, double reference) {
  return c.relative * reference > c.absolute ? c.relative * reference : c.absolute;
}

template <class Control>
struct BeginSolve {
  static constexpr const char* kName = "begin_solve";
  SolveOptions options;
  const std::uint32_t* stop;
  Control first;
  Control* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    Control c = first;
    c.relative = options.relative, c.absolute = options.absolute;
    c.max_iterations = options.max_iterations;
    c.stopped = c.done = stop != nullptr && *stop != 0 ? 1 : 0;
    *control = c;
  }
};

template <class Exec, class Control>
void begin_solve(Exec& exec, const SolveOptions& options, const std::uint32_t* stop,
                 const Control& first, Control* control) {
  launch_items(exec, {{nullptr, 1}, nullptr}, BeginSolve<Control>{options, stop, first, control});
}

// f(at, its number in the block) for all values of a space's block.
template <class Space, class Group, class F>
FIRN_HD inline void for_each_value(Group& g, F&& f) {
  const std::uint64_t first = std::uint64_t{g.index()} * Space::kValues;
  g.for_each(Space::kValues, [&](std::uint32_t i) { f(first + i, i); });
}

// *out = sum of term(at, its number in the block) over them.
template <class Space, class Group, class Term>
FIRN_HD inline void store_value_sum(Group& g, BlockSums& sums, Term&& term, double* out) {
  static_assert(Space::kValues % 64 == 0);
  const std::uint64_t first = std::uint64_t{g.index()} * Space::kValues;
  g.for_each(64, [&](std::uint32_t part) {
    double sum = 0;
    for (std::uint32_t i = part; i < Space::kValues; i += 64) sum += term(first + i, i);
    sums.term[part] = sum;
  });
  for (std::uint32_t n = 32; n > 0; n /= 2) {
    g.sync();
    g.for_each(n, [&](std::uint32_t i) { sums.term[i] += sums.term[i + n]; });
  }
  g.sync();
  g.once([&] { *out = sums.term[0]; });
}

// z = G^-1 r. Partials: <r, z>.
template <class Space, class Inverse>
struct Precondition {
  using Real = typename Space::Real;
  static constexpr const char* kName = "precondition";
  static constexpr int kThreads = 64;
  using Scratch = BlockSums;
  Space space;
  Inverse inverse;
  const Real* residual;
  Real* z;
  double* partials;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const auto term = [&](std::uint64_t at, std::uint32_t i) {
      if (!space.is_active(at)) return 0.0;
      const Real value = inverse(g.index(), i, at);
      z[at] = value;
      return static_cast<double>(residual[at]) * static_cast<double>(value);
    };
    store_value_sum<Space>(g, g.scratch, term, partials + g.index());
  }
};

}  // namespace firn
