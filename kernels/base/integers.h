// Arithmetic of small integers at compile time.
#pragma once

#include "kernels/base/host_device.h"

namespace firn {

FIRN_HD constexpr int int_power(int base, int exponent) {
  int r = 1;
  for (int i = 0; i < exponent; ++i) r *= base;
  return r;
}

// Of a tensor in d dimensions: its upper triangle, row by row.
FIRN_HD constexpr int symmetric_components(int d) { return d * (d + 1) / 2; }

}  // namespace firn
