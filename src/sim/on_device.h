// A benchmark's choice of backend.
#pragma once

#include "firn/error.h"
#include "firn/simulation.h"
#include "kernels/exec/backend.h"

namespace firn {

// Calls f with the backend that the options name. Throws Error{kDevice} if it is not there.
template <class F>
auto on_device(const RunOptions& options, F&& f) {
  const bool has_cuda = !cuda_device_names().empty();
  const bool cuda =
      options.device == Device::kCuda || (options.device == Device::kAuto && has_cuda);
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
