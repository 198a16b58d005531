// Stands in for backend_cuda.cu in a build without CUDA.
#include "kernels/exec/backend.h"

namespace firn {

std::vector<std::string> cuda_device_names() { return {}; }

}  // namespace firn
