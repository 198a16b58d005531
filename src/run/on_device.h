// Which backend runs what the user asked for.
#pragma once

#include "firn/error.h"
#include "firn/simulation.h"
#include "kernels/exec/backend.h"

namespace firn {

// kAuto becomes CUDA where there is a GPU.
inline Device chosen_device(Device wanted) {
  if (wanted != Device::kAuto) return wanted;
  const CudaDevices found = find_cuda_devices();
  return found.names.empty() || found.in_software ? Device::kCpu : Device::kCuda;
}

// For benchmarks: calls f with the backend that the options name. Throws Error{kDevice} if it is
// not there.
template <class F>
auto on_device(const RunOptions& options, F&& f) {
  const bool cuda = chosen_device(options.device) == Device::kCuda;
#if defined(FIRN_WITH_CUDA)
  if (cuda) {
    Cuda exec;
    return f(exec);
  }
#else
  if (cuda)
    throw Error(ErrorCategory::kDevice, "this firn was built without CUDA; use --device cpu");
#endif
  Cpu exec(options.threads);
  return f(exec);
}

}  // namespace firn
