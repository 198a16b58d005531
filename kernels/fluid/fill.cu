#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/fill.inl"

namespace firn {

template void fill_cells<Cuda, 2, float>(Cuda&, const ParticleView<float>&, const GridView<float>&,
                                         const MacView<float>&, std::uint32_t, const StepControl*);
template void assemble_drift<Cuda, 2, float>(Cuda&, const MacView<float>&, std::uint32_t,
                                             const StepControl*);
template void fill_cells<Cuda, 2, double>(Cuda&, const ParticleView<double>&,
                                          const GridView<double>&, const MacView<double>&,
                                          std::uint32_t, const StepControl*);
template void assemble_drift<Cuda, 2, double>(Cuda&, const MacView<double>&, std::uint32_t,
                                              const StepControl*);
template void fill_cells<Cuda, 3, float>(Cuda&, const ParticleView<float>&, const GridView<float>&,
                                         const MacView<float>&, std::uint32_t, const StepControl*);
template void assemble_drift<Cuda, 3, float>(Cuda&, const MacView<float>&, std::uint32_t,
                                             const StepControl*);
template void fill_cells<Cuda, 3, double>(Cuda&, const ParticleView<double>&,
                                          const GridView<double>&, const MacView<double>&,
                                          std::uint32_t, const StepControl*);
template void assemble_drift<Cuda, 3, double>(Cuda&, const MacView<double>&, std::uint32_t,
                                              const StepControl*);

}  // namespace firn
