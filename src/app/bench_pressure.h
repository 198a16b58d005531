// The suite "pressure" of `firn bench`.
#pragma once

#include "src/app/options.h"

namespace firn::app {

// Throws Error{kDiverged} if a solve misses its tolerance.
int bench_pressure_solver(const Options& options);

}  // namespace firn::app
