#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/walls.inl"

namespace firn {

template void switch_walls<Cuda, 2, float>(Cuda&, const GridView<float>&, const MacView<float>&,
                                           std::uint32_t*, std::uint32_t, const StepControl*);
template void close_walls<Cuda, 2, float>(Cuda&, const MacView<float>&, std::uint32_t,
                                          const StepControl*);
template void switch_walls<Cuda, 2, double>(Cuda&, const GridView<double>&, const MacView<double>&,
                                            std::uint32_t*, std::uint32_t, const StepControl*);
template void close_walls<Cuda, 2, double>(Cuda&, const MacView<double>&, std::uint32_t,
                                           const StepControl*);
template void switch_walls<Cuda, 3, float>(Cuda&, const GridView<float>&, const MacView<float>&,
                                           std::uint32_t*, std::uint32_t, const StepControl*);
template void close_walls<Cuda, 3, float>(Cuda&, const MacView<float>&, std::uint32_t,
                                          const StepControl*);
template void switch_walls<Cuda, 3, double>(Cuda&, const GridView<double>&, const MacView<double>&,
                                            std::uint32_t*, std::uint32_t, const StepControl*);
template void close_walls<Cuda, 3, double>(Cuda&, const MacView<double>&, std::uint32_t,
                                           const StepControl*);

}  // namespace firn
