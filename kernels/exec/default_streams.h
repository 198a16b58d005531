// What a program's callbacks give to the device of a simulation beside the simulation's own stream.
#pragma once

#include "kernels/exec/backend.h"

namespace firn {

// Work that follows comes after all that the device's default streams have been given, that for all
// threads and that of the calling one: where CuPy, PyTorch and kernels launched without a stream
// work. The simulation's own stream does not wait for them by itself.
inline void follow_default_streams(const Cpu&) {}
#if defined(FIRN_WITH_CUDA)
void follow_default_streams(const Cuda& exec);
#endif

}  // namespace firn
