// For tests that need a CUDA device.
#pragma once

#include <string>

#include "firn/simulation.h"

namespace firn::test {

// Why a test has to skip itself; empty where there is a device:
//   if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
inline std::string no_device() { return why_no_cuda_device(); }

}  // namespace firn::test
