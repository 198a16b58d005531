// What the hardware allows, measured in the same run as what it is compared with: how fast memory
// is copied and how fast numbers are multiplied and added.
#pragma once

#include <algorithm>

#include "firn/scene.h"
#include "firn/simulation.h"

namespace firn {

struct Floors {
  double bytes_per_second = 0;       // read and written, copying an array too large for any cache
  double operations_per_second = 0;  // additions and multiplications, one fused pair being two

  // The least time in which so much can be done: memory and arithmetic overlap.
  double seconds(double bytes, double operations) const {
    return std::max(bytes / bytes_per_second, operations / operations_per_second);
  }
};

// On all threads that the options name. Throws Error{kDevice}.
Floors measure_floors(Precision precision, const RunOptions& options);

// Floors::bytes_per_second alone.
double copy_bandwidth(const RunOptions& options);

}  // namespace firn
