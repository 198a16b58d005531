// How the speed of either baseline is measured.
#pragma once

#include <chrono>

#include "bench/baseline/baseline.h"

namespace firn::baseline {

// Figures of a Baseline or BaselineCuda; `wait` returns when all its steps are done.
template <class Run, class Wait>
Figures measure_steps(Run& run, float dt, int steps, Wait&& wait) {
  constexpr int kWarmupSteps = 4;  // first touch of memory
  for (int k = 0; k < kWarmupSteps; ++k) run.step(dt);
  wait();
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < steps; ++k) run.step(dt);
  wait();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return {spent.count() / steps, run.particles()};
}

}  // namespace firn::baseline
