#include "kernels/grid/update.inl"
#include "kernels/exec/host.h"

namespace firn {

template void grid_update<Cpu, 2, float>(Cpu&, const GridUpdateParams<float, 2>&,
                                         const GridView<float>&, std::uint32_t, const StepControl*);
template void grid_update<Cpu, 2, double>(Cpu&, const GridUpdateParams<double, 2>&,
                                          const GridView<double>&, std::uint32_t,
                                          const StepControl*);
template void grid_update<Cpu, 3, float>(Cpu&, const GridUpdateParams<float, 3>&,
                                         const GridView<float>&, std::uint32_t, const StepControl*);
template void grid_update<Cpu, 3, double>(Cpu&, const GridUpdateParams<double, 3>&,
                                          const GridView<double>&, std::uint32_t,
                                          const StepControl*);
template void add_columns<Cpu>(Cpu&, const double*, DeviceCount, int, double*,
                               const std::uint32_t*);

}  // namespace firn
