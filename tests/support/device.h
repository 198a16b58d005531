// For tests that need a CUDA device.
#pragma once

#include <string>

#include "firn/simulation.h"

namespace firn::test {

// Why a test has to skip itself; empty where there is a device:
//   if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
inline std::string no_device() { return why_no_cuda_device(); }

// Whether the device is the one in software, for which sizes that a GPU takes in its stride last
// minutes.
inline bool in_software() {
  const auto devices = cuda_devices();
  return !devices.empty() && devices.front().starts_with("software device");
}

}  // namespace firn::test
