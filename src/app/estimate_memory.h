// How much memory a run will take at its peak.
#pragma once

#include <string_view>

#include "firn/scene.h"
#include "firn/simulation.h"

namespace firn::app {

struct MemoryEstimate {
  double process = 0;  // bytes: the program itself
  double stores = 0;   // on the device: particles, grid, scratch, tracers
  double filling = 0, output = 0, checkpoint = 0;  // for a while, beside them on the host
  double peak = 0;                                 // of a run on the CPU
  std::string_view moment;                         // when it is reached: "while ..."
  double resumed = 0;                              // the peak of one that goes on
};

// As things are at the start: material that spreads takes more blocks. `process` is what the
// calling program has resident now.
MemoryEstimate estimate_memory(const Scene& scene, const SceneEstimate& need, double process);

// Resident bytes of this program; 0 where the system does not tell.
double resident_bytes();

}  // namespace firn::app
