// What kernels have done, where the CUDA runtime counts it: the software device does
// (tests/software_device), a GPU does not.
#pragma once

#include <string>

namespace firn {

bool counts_launches();
// The other two do nothing, and return nothing, where nobody counts.
void reset_launch_counts();
// Since the last reset: JSON, as tests/software_device/README.md describes it. Waits for the work
// enqueued so far.
std::string launch_counts();

}  // namespace firn
