// The pressure solver on a cube of liquid with a free surface, for `firn bench pressure`.
#pragma once

#include <cstdint>
#include <string>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/measure/pressure_cube.h"

namespace firn {

// Of the largest magnitude of the right-hand side.
inline constexpr double kPressureTolerance = 1e-6;

struct PressureBench {
  std::string device;
  std::int64_t cells = 0;
  std::uint32_t iterations = 0;
  bool converged = false;
  double seconds = 0;  // one warm solve, hierarchy and components included
  RelativeResidual residual;
  double bytes_per_cell = 0;  // of memory: all levels, coefficients, right-hand side and solution
};

// side^3 cells with walls all around but open above, a random right-hand side, no guess; solved to
// `relative` in the largest magnitude. `side` is a multiple of 4. Throws Error{kDevice}.
PressureBench bench_pressure(int side, double relative, Precision precision,
                             const RunOptions& options);

}  // namespace firn
