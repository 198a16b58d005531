// Stands in for backend_cuda.cu in a build without CUDA.
#include "kernels/exec/backend.h"

namespace firn {

CudaDevices find_cuda_devices() { return {{}, {}, "this firn was built without CUDA", false}; }

}  // namespace firn
