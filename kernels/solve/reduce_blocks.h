// Reduces per-block partial results to a scalar in one work-group, in an order that depends on the
// number of blocks only, and hands it to `Finish`, which decides on the device what follows.
#pragma once

#include "kernels/base/host_device.h"
#include "kernels/solve/krylov.h"

namespace firn {

// Finish has kName, kColumns, kMaximum (else sums) and operator()(Control&, const double*).
template <class Finish, class Control>
struct ReduceBlocks {
  static constexpr const char* kName = Finish::kName;
  static constexpr int kThreads = 512;
  static constexpr std::uint32_t kParts = 512;
  struct Scratch {
    double part[kParts];
    double result[Finish::kColumns];
  };
  Finish finish;
  const double* partials;
  std::uint32_t blocks, column_length;
  Control* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    for (int c = 0; c < Finish::kColumns; ++c) {
      const double* column = partials + static_cast<std::uint64_t>(c) * column_length;
      g.for_each(kParts, [&](std::uint32_t p) {
        double value = 0;
        for (std::uint64_t b = p; b < blocks; b += kParts) value = join(value, column[b]);
        g.scratch.part[p] = value;
      });
      for (std::uint32_t n = kParts / 2; n > 0; n /= 2) {
        g.sync();
        g.for_each(n, [&](std::uint32_t p) {
          g.scratch.part[p] = join(g.scratch.part[p], g.scratch.part[p + n]);
        });
      }
      g.sync();
      g.once([&] { g.scratch.result[c] = g.scratch.part[0]; });
      g.sync();
    }
    g.once([&] { finish(*control, g.scratch.result); });
  }
  FIRN_HD static double join(double a, double b) {
    if constexpr (Finish::kMaximum) return a > b ? a : b;
    return a + b;
  }
};

template <class Exec, class Finish, class Control>
void reduce_blocks(Exec& exec, const Finish& finish, const double* partials, std::uint32_t blocks,
                   std::uint32_t column_length, Control* control, const std::uint32_t* stop) {
  launch_groups(exec, {{nullptr, 1}, stop},
                ReduceBlocks<Finish, Control>{finish, partials, blocks, column_length, control});
}

// The largest magnitude of a channel, left where the scale of sums is looked for.
struct FinishNorm {
  static constexpr const char* kName = "finish_norm";
  static constexpr int kColumns = 1;
  static constexpr bool kMaximum = true;
  FIRN_HD void operator()(KrylovControl& c, const double* v) const { c.residual = v[0]; }
};

}  // namespace firn
