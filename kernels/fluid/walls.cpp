#include "kernels/fluid/walls.inl"
#include "kernels/exec/host.h"

namespace firn {

template void switch_walls<Cpu, 2, float>(Cpu&, const GridView<float>&, const MacView<float>&,
                                          std::uint32_t*, std::uint32_t, const StepControl*);
template void close_walls<Cpu, 2, float>(Cpu&, const MacView<float>&, std::uint32_t,
                                         const StepControl*);
template void switch_walls<Cpu, 2, double>(Cpu&, const GridView<double>&, const MacView<double>&,
                                           std::uint32_t*, std::uint32_t, const StepControl*);
template void close_walls<Cpu, 2, double>(Cpu&, const MacView<double>&, std::uint32_t,
                                          const StepControl*);
template void switch_walls<Cpu, 3, float>(Cpu&, const GridView<float>&, const MacView<float>&,
                                          std::uint32_t*, std::uint32_t, const StepControl*);
template void close_walls<Cpu, 3, float>(Cpu&, const MacView<float>&, std::uint32_t,
                                         const StepControl*);
template void switch_walls<Cpu, 3, double>(Cpu&, const GridView<double>&, const MacView<double>&,
                                           std::uint32_t*, std::uint32_t, const StepControl*);
template void close_walls<Cpu, 3, double>(Cpu&, const MacView<double>&, std::uint32_t,
                                          const StepControl*);

}  // namespace firn
