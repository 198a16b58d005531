#include "kernels/exec/cuda.cuh"
#include "kernels/particles/totals.inl"

namespace firn {

template void particle_totals<Cuda, 2, float>(Cuda&, const TransferParams&,
                                              const ParticleView<float>&, float, std::uint32_t,
                                              double*, const StepControl*);
template void particle_totals<Cuda, 2, double>(Cuda&, const TransferParams&,
                                               const ParticleView<double>&, double, std::uint32_t,
                                               double*, const StepControl*);
template void particle_totals<Cuda, 3, float>(Cuda&, const TransferParams&,
                                              const ParticleView<float>&, float, std::uint32_t,
                                              double*, const StepControl*);
template void particle_totals<Cuda, 3, double>(Cuda&, const TransferParams&,
                                               const ParticleView<double>&, double, std::uint32_t,
                                               double*, const StepControl*);

}  // namespace firn
