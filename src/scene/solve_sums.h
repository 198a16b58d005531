// What solves come to together: those of a frame, and of a run.
#pragma once

#include <algorithm>

#include "firn/stats.h"

namespace firn {

// Adds what came later. Of the last step, or the last frame, stays what that says.
inline void add_solves(const SolverStats& later, SolverStats& sum) {
  sum.solves += later.solves;
  sum.iterations += later.iterations;
  sum.max_iterations = std::max(sum.max_iterations, later.max_iterations);
  sum.seconds += later.seconds;
  sum.at_rounding += later.at_rounding;
}
inline void add_solves(const PressureStats& later, PressureStats& sum) {
  add_solves(static_cast<const SolverStats&>(later), static_cast<SolverStats&>(sum));
  sum.correction_iterations += later.correction_iterations;
  sum.corrections_lost += later.corrections_lost;
  sum.correction_seconds += later.correction_seconds;
  sum.max_divergence = std::max(sum.max_divergence, later.max_divergence);
  sum.sealed_regions = later.sealed_regions;
}
inline void add_solves(const ImplicitStats& later, ImplicitStats& sum) {
  const ImplicitStats before = sum;
  sum = later;
  add_solves(static_cast<const SolverStats&>(before), static_cast<SolverStats&>(sum));
  sum.linear_iterations += before.linear_iterations;
  sum.cuts += before.cuts;
  sum.passes += before.passes;
  sum.rejected += before.rejected;
  sum.looks += before.looks;
}
inline void add_solves(const ThermalStats& later, ThermalStats& sum) {
  for (const ThermalSolver& solver : kThermalSolvers)
    add_solves(later.*solver.stats, sum.*solver.stats);
}

// Those of the part of a frame that lies before a state was saved.
struct FrameSolves {
  PressureStats pressure;
  ImplicitStats implicit;
  ThermalStats thermal;
  SolverStats viscosity;

  // Of a frame that goes on behind them. Where it has not yet, the last step is theirs.
  void put_before(FrameStats& stats) const {
    const auto join = [](auto sum, auto& later) {
      if (later.solves > 0) add_solves(later, sum);
      later = sum;
    };
    join(pressure, stats.pressure);
    join(implicit, stats.implicit);
    join(viscosity, stats.viscosity);
    for (const ThermalSolver& solver : kThermalSolvers)
      join(thermal.*solver.stats, stats.thermal.*solver.stats);
  }
  // Wall time, and how often the host has waited, are no part of a state.
  static FrameSolves of(const FrameStats& stats) {
    FrameSolves solves{stats.pressure, stats.implicit, stats.thermal, stats.viscosity};
    solves.pressure.seconds = solves.pressure.correction_seconds = solves.implicit.seconds = 0;
    solves.implicit.looks = 0;
    solves.viscosity.seconds = 0;
    for (const ThermalSolver& solver : kThermalSolvers) (solves.thermal.*solver.stats).seconds = 0;
    return solves;
  }
};

}  // namespace firn
