// Which backend runs what the user asked for.
#pragma once

#include <string>

#include "firn/error.h"
#include "firn/simulation.h"
#include "kernels/exec/backend.h"

namespace firn {

// More threads than this would end in the stacks of OpenMP.
inline constexpr int kMostThreads = 1024;

// kAuto becomes CUDA where there is a GPU.
inline Device chosen_device(Device wanted) {
  if (wanted != Device::kAuto) return wanted;
  const CudaDevices found = find_cuda_devices();
  return found.names.empty() || found.in_software ? Device::kCpu : Device::kCuda;
}

// Whether the options ask for CUDA. Throws Error{kDevice} where they name one of its devices and
// the CPU is to run: a number that nobody looks at would hide a mistake. Error{kScene} for
// more than kMostThreads.
inline bool runs_on_cuda(const RunOptions& options) {
  const bool cuda = chosen_device(options.device) == Device::kCuda;
  if (options.threads < 0 || options.threads > kMostThreads)
    throw Error(ErrorCategory::kScene, "threads must be from 0 (all) to " +
                                           std::to_string(kMostThreads) + ", found " +
                                           std::to_string(options.threads));
  if (!cuda && options.device_index != 0)
    throw Error(ErrorCategory::kDevice,
                "device " + std::to_string(options.device_index) +
                    " is the number of a CUDA device, and this runs on the CPU; ask for CUDA, or "
                    "leave the number out");
  return cuda;
}

// For benchmarks: calls f with the backend that the options name. Throws Error{kDevice} if it is
// not there.
template <class F>
auto on_device(const RunOptions& options, F&& f) {
  const bool cuda = runs_on_cuda(options);
#if defined(FIRN_WITH_CUDA)
  if (cuda) {
    Cuda exec(options.device_index);
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
