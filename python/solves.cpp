// What the solves of a frame's steps took.
#include "firn/simulation.h"
#include "python/bindings.h"
#include "python/records.h"

namespace firn::python {

void bind_solves(nb::module_& m) {
  Record<SolverStats> solver(m, "SolverStats",
                             "The solves of a linear system since the last frame.");
  solver.def_ro("solves", &SolverStats::solves)
      .def_ro("iterations", &SolverStats::iterations)
      .def_ro("max_iterations", &SolverStats::max_iterations)
      .def_ro("seconds", &SolverStats::seconds, "Wall time.")
      .def_ro("at_rounding", &SolverStats::at_rounding,
              "That end as well as their precision can, above the tolerance.");
  Record<PressureStats, SolverStats>(m, "PressureStats")
      .keep_all_of(solver)
      .def_ro("correction_iterations", &PressureStats::correction_iterations,
              "Of the density correction.")
      .def_ro("corrections_lost", &PressureStats::corrections_lost,
              "Density corrections that were not found.")
      .def_ro("max_divergence", &PressureStats::max_divergence, "1/s.")
      .def_ro("sealed_regions", &PressureStats::sealed_regions, "Regions of fluid without air.")
      .def_ro("correction_seconds", &PressureStats::correction_seconds);
  Record<ThermalStats>(m, "ThermalStats")
      .def_ro("heat", &ThermalStats::heat)
      .def_ro("forces", &ThermalStats::forces);
  Record<ImplicitStats, SolverStats>(m, "ImplicitStats", "Newton's method.")
      .keep_all_of(solver)
      .def_ro("linear_iterations", &ImplicitStats::linear_iterations)
      .def_ro("cuts", &ImplicitStats::cuts, "Halvings by the line search.")
      .def_ro("passes", &ImplicitStats::passes, "Times that contacts were judged.")
      .def_ro("rejected", &ImplicitStats::rejected, "Steps that missed the tolerance.")
      .def_ro("imbalance", &ImplicitStats::imbalance, "Of the last step.")
      .def_ro("tolerance", &ImplicitStats::tolerance);
}

}  // namespace firn::python
