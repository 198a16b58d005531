#include "kernels/fluid/components.inl"
#include "kernels/exec/host.h"

namespace firn {

template void find_components<Cpu, 2, float>(Cpu&, const ComponentView<float>&, DeviceCount,
                                             const std::uint32_t*);
template void number_components<Cpu, 2, float>(Cpu&, const ComponentView<float>&, std::uint32_t,
                                               std::uint32_t);
template void remove_means<Cpu, 2, float>(Cpu&, const ComponentView<float>&, float*, bool, double*,
                                          std::uint32_t, std::uint32_t, const std::uint32_t*);
template void find_components<Cpu, 2, double>(Cpu&, const ComponentView<double>&, DeviceCount,
                                              const std::uint32_t*);
template void number_components<Cpu, 2, double>(Cpu&, const ComponentView<double>&, std::uint32_t,
                                                std::uint32_t);
template void remove_means<Cpu, 2, double>(Cpu&, const ComponentView<double>&, double*, bool,
                                           double*, std::uint32_t, std::uint32_t,
                                           const std::uint32_t*);
template void find_components<Cpu, 3, float>(Cpu&, const ComponentView<float>&, DeviceCount,
                                             const std::uint32_t*);
template void number_components<Cpu, 3, float>(Cpu&, const ComponentView<float>&, std::uint32_t,
                                               std::uint32_t);
template void remove_means<Cpu, 3, float>(Cpu&, const ComponentView<float>&, float*, bool, double*,
                                          std::uint32_t, std::uint32_t, const std::uint32_t*);
template void find_components<Cpu, 3, double>(Cpu&, const ComponentView<double>&, DeviceCount,
                                              const std::uint32_t*);
template void number_components<Cpu, 3, double>(Cpu&, const ComponentView<double>&, std::uint32_t,
                                                std::uint32_t);
template void remove_means<Cpu, 3, double>(Cpu&, const ComponentView<double>&, double*, bool,
                                           double*, std::uint32_t, std::uint32_t,
                                           const std::uint32_t*);

}  // namespace firn
