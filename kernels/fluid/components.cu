#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/components.inl"

namespace firn {

template void find_components<Cuda, 2, float>(Cuda&, const ComponentView<float>&, DeviceCount,
                                              const std::uint32_t*);
template void number_components<Cuda, 2, float>(Cuda&, const ComponentView<float>&, std::uint32_t,
                                                std::uint32_t);
template void remove_means<Cuda, 2, float>(Cuda&, const ComponentView<float>&, float*, bool,
                                           double*, std::uint32_t, std::uint32_t,
                                           const std::uint32_t*);
template void find_components<Cuda, 2, double>(Cuda&, const ComponentView<double>&, DeviceCount,
                                               const std::uint32_t*);
template void number_components<Cuda, 2, double>(Cuda&, const ComponentView<double>&, std::uint32_t,
                                                 std::uint32_t);
template void remove_means<Cuda, 2, double>(Cuda&, const ComponentView<double>&, double*, bool,
                                            double*, std::uint32_t, std::uint32_t,
                                            const std::uint32_t*);
template void find_components<Cuda, 3, float>(Cuda&, const ComponentView<float>&, DeviceCount,
                                              const std::uint32_t*);
template void number_components<Cuda, 3, float>(Cuda&, const ComponentView<float>&, std::uint32_t,
                                                std::uint32_t);
template void remove_means<Cuda, 3, float>(Cuda&, const ComponentView<float>&, float*, bool,
                                           double*, std::uint32_t, std::uint32_t,
                                           const std::uint32_t*);
template void find_components<Cuda, 3, double>(Cuda&, const ComponentView<double>&, DeviceCount,
                                               const std::uint32_t*);
template void number_components<Cuda, 3, double>(Cuda&, const ComponentView<double>&, std::uint32_t,
                                                 std::uint32_t);
template void remove_means<Cuda, 3, double>(Cuda&, const ComponentView<double>&, double*, bool,
                                            double*, std::uint32_t, std::uint32_t,
                                            const std::uint32_t*);

}  // namespace firn
