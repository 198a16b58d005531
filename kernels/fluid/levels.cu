#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/levels.inl"

namespace firn {

template void build_levels<Cuda, 2, float>(Cuda&, const Hierarchy<float>&, DeviceCount,
                                           const std::uint32_t*);
template void build_levels<Cuda, 2, double>(Cuda&, const Hierarchy<double>&, DeviceCount,
                                            const std::uint32_t*);
template void build_levels<Cuda, 3, float>(Cuda&, const Hierarchy<float>&, DeviceCount,
                                           const std::uint32_t*);
template void build_levels<Cuda, 3, double>(Cuda&, const Hierarchy<double>&, DeviceCount,
                                            const std::uint32_t*);

}  // namespace firn
