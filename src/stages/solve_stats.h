// What solves report of themselves for a frame.
#pragma once

#include <algorithm>
#include <chrono>

#include "firn/simulation.h"
#include "src/solvers/elliptic_solver.h"

namespace firn {

inline SolveOptions solve_options(const SolveSettings& s) {
  return {s.tolerance, 0, static_cast<std::uint32_t>(s.max_iterations)};
}

inline void count_solve(const SolveReport& report, SolverStats& stats) {
  ++stats.solves;
  stats.iterations += report.iterations;
  stats.max_iterations = std::max(stats.max_iterations, std::int64_t{report.iterations});
  stats.at_rounding += report.rounding_limited ? 1 : 0;
}

// The host waits for a solve; before it, for what the step has enqueued so far, which is not its
// time.
template <class Exec, class Solve>
SolveReport timed_solve(Exec& exec, double& seconds, Solve&& solve) {
  exec.synchronize();
  const auto start = std::chrono::steady_clock::now();
  const SolveReport report = solve();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace firn
