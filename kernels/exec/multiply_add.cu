#include "kernels/exec/cuda.cuh"
#include "kernels/exec/multiply_add.inl"

namespace firn {

template void multiply_add<Cuda, float>(Cuda&, std::uint32_t, float*);
template void multiply_add<Cuda, double>(Cuda&, std::uint32_t, double*);

}  // namespace firn
