// Calls of the CUDA runtime that fail become errors. For .cu files.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "firn/error.h"

namespace firn {

// A kernel that failed, or hardware that did, leaves a process without its device: all further
// calls fail.
inline bool device_is_lost() { return cudaFree(nullptr) != cudaSuccess; }

inline void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that the next message is about its own call
  std::string message = std::string("CUDA: ") + what + ": " + cudaGetErrorString(status);
  if (device_is_lost()) message += "; the device no longer works for this process";
  throw Error(ErrorCategory::kDevice, message);
}

inline bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(stream, &status), "asking for the capture");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace firn
