// Calls of the CUDA runtime that fail become errors. For .cu files.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "firn/error.h"

namespace firn {

inline void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears what is sticky, so that the next message is about its own call
  throw Error(ErrorCategory::kDevice,
              std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

inline bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(stream, &status), "asking for the capture");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace firn
