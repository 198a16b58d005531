#include "kernels/collide/guard.inl"
#include "kernels/exec/cuda.cuh"

namespace firn {

template void guard_particles<Cuda, 2, float>(Cuda&, const GridUpdateParams<float, 2>&,
                                              const ParticleView<float>&, const GridView<float>&,
                                              std::uint32_t, const StepControl*);
template void guard_particles<Cuda, 2, double>(Cuda&, const GridUpdateParams<double, 2>&,
                                               const ParticleView<double>&, const GridView<double>&,
                                               std::uint32_t, const StepControl*);
template void guard_particles<Cuda, 3, float>(Cuda&, const GridUpdateParams<float, 3>&,
                                              const ParticleView<float>&, const GridView<float>&,
                                              std::uint32_t, const StepControl*);
template void guard_particles<Cuda, 3, double>(Cuda&, const GridUpdateParams<double, 3>&,
                                               const ParticleView<double>&, const GridView<double>&,
                                               std::uint32_t, const StepControl*);

}  // namespace firn
