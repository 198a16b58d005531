#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/tracers.inl"

namespace firn {

template void advance_tracers<Cuda, 2, float>(Cuda&, const ParticleBounds<float, 2>&,
                                              const GridView<float>&, const MacView<float>&, float*,
                                              std::uint32_t, const StepControl*);
template void advance_tracers<Cuda, 2, double>(Cuda&, const ParticleBounds<double, 2>&,
                                               const GridView<double>&, const MacView<double>&,
                                               double*, std::uint32_t, const StepControl*);
template void advance_tracers<Cuda, 3, float>(Cuda&, const ParticleBounds<float, 3>&,
                                              const GridView<float>&, const MacView<float>&, float*,
                                              std::uint32_t, const StepControl*);
template void advance_tracers<Cuda, 3, double>(Cuda&, const ParticleBounds<double, 3>&,
                                               const GridView<double>&, const MacView<double>&,
                                               double*, std::uint32_t, const StepControl*);

}  // namespace firn
