#include "kernels/fluid/levels.inl"
#include "kernels/exec/host.h"

namespace firn {

template void build_levels<Cpu, 2, float>(Cpu&, const Hierarchy<float>&, DeviceCount,
                                          const std::uint32_t*);
template void build_levels<Cpu, 2, double>(Cpu&, const Hierarchy<double>&, DeviceCount,
                                           const std::uint32_t*);
template void build_levels<Cpu, 3, float>(Cpu&, const Hierarchy<float>&, DeviceCount,
                                          const std::uint32_t*);
template void build_levels<Cpu, 3, double>(Cpu&, const Hierarchy<double>&, DeviceCount,
                                           const std::uint32_t*);

}  // namespace firn
