#pragma once

#include <utility>

#include "kernels/exec/multiply_add.h"

namespace firn {

template <class Real>
struct MultiplyAdd {
  static constexpr const char* kName = "multiply_add";
  static constexpr int kThreads = kMultiplyAddChunks * kLanes;
  static constexpr std::int64_t kSerialGroups = 1;  // each is a third of a millisecond
  struct Scratch {};

  Real* sums;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t first = g.index() * kMultiplyAddChunks;
    g.template for_each_pack<Real>(
        first, first + kMultiplyAddChunks, [](std::uint32_t) { return std::uint32_t{kLanes}; },
        [&](const auto& lanes) { run(lanes, std::make_index_sequence<kMultiplyAddChains>{}); });
  }

  // Each chain tends to 1: no overflow and no subnormal number slows it down. Indices are written
  // out by the fold, so that every chain is a register.
  template <class Lanes, std::size_t... c>
  FIRN_HD void run(const Lanes& lanes, std::index_sequence<c...>) const {
    using T = typename Lanes::Value;
    const T factor(Real(0.9375)), term(Real(0.0625));
    T chain[] = {T(static_cast<Real>(c))...};
    // As many steps as hide the loop. The compiler would write out thousands, and work on them for
    // minutes.
    [[maybe_unused]] constexpr int kUnrolled = 16;
    FIRN_UNROLL
    for (int step = 0; step < kMultiplyAddSteps; ++step)
      ((chain[c] = chain[c] * factor + term), ...);
    const T sum = (chain[c] + ...);
    lanes.store(sums + static_cast<std::uint64_t>(lanes.chunk) * kLanes, sum);
  }
};

template <class Exec, class Real>
void multiply_add(Exec& exec, std::uint32_t groups, Real* sums) {
  launch_groups(exec, {{nullptr, groups}, nullptr}, MultiplyAdd<Real>{sums});
}

}  // namespace firn
