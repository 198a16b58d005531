// Lower bounds of the time that a kernel's launches take on a GPU, from what was counted: none is a
// measurement.
#pragma once

#include <vector>

#include "counters.h"

namespace emulator::core {

struct Gpu {
  const char* name;
  double bytes_per_second;  // of its memory
};
inline constexpr Gpu kH100{"H100", 3.35e12}, kH200{"H200", 4.8e12};

struct Bound {
  const char* name;
  double seconds;
};

// One for each thing that can be short, for all launches together, if all multiprocessors share the
// work evenly and nothing waits.
std::vector<Bound> bounds(const KernelSum&, const Gpu&);
const Bound& largest(const std::vector<Bound>&);

}  // namespace emulator::core
