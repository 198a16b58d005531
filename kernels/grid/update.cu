#include "kernels/exec/cuda.cuh"
#include "kernels/grid/update.inl"

namespace firn {

template void grid_update<Cuda, 2, float>(Cuda&, const GridUpdateParams<float, 2>&,
                                          const GridView<float>&, std::uint32_t,
                                          const StepControl*);
template void grid_update<Cuda, 2, double>(Cuda&, const GridUpdateParams<double, 2>&,
                                           const GridView<double>&, std::uint32_t,
                                           const StepControl*);
template void grid_update<Cuda, 3, float>(Cuda&, const GridUpdateParams<float, 3>&,
                                          const GridView<float>&, std::uint32_t,
                                          const StepControl*);
template void grid_update<Cuda, 3, double>(Cuda&, const GridUpdateParams<double, 3>&,
                                           const GridView<double>&, std::uint32_t,
                                           const StepControl*);
template void add_columns<Cuda>(Cuda&, const double*, DeviceCount, int, double*,
                                const std::uint32_t*);

}  // namespace firn
