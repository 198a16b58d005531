#include "kernels/exec/cuda.cuh"
#include "kernels/materials/constitutive.inl"

namespace firn {

template void constitutive_step<Cuda, 2, float>(Cuda&, const MaterialParams<float>*,
                                                const ParticleView<float>&, const EnergyView&,
                                                std::uint32_t, StepControl*);
template void constitutive_step<Cuda, 2, double>(Cuda&, const MaterialParams<double>*,
                                                 const ParticleView<double>&, const EnergyView&,
                                                 std::uint32_t, StepControl*);

}  // namespace firn
