// The plain MLS-MPM of bench/baseline on the block that `firn bench step` measures.
#pragma once

#include <optional>

#include "src/app/bench_scenes.h"
#include "src/app/options.h"

namespace firn::app {

struct BaselineRate {
  double per_second = 0;  // particle-steps
  int threads = 0;        // the faster of one and of as many as the run has; 0 on CUDA
};

// None where the baseline does not do what is measured: it knows one material, one transfer and one
// kernel, in single precision, at rest.
std::optional<BaselineRate> measure_baseline(const BlockCase& block, const Scene& scene,
                                             const Options& options, bool on_cuda, int threads);

}  // namespace firn::app
