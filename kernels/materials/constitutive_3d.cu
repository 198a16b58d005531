#include "kernels/exec/cuda.cuh"
#include "kernels/materials/constitutive.inl"

namespace firn {

template <>
int packs_per_chunk<Cuda, float>() {
  return CudaLanes<float>::kPacksPerChunk;
}
template <>
int packs_per_chunk<Cuda, double>() {
  return CudaLanes<double>::kPacksPerChunk;
}

template void constitutive_step<Cuda, 3, float>(Cuda&, const MaterialParams<float>*,
                                                const ParticleView<float>&, const EnergyView&,
                                                std::uint32_t, StepControl*);
template void constitutive_step<Cuda, 3, double>(Cuda&, const MaterialParams<double>*,
                                                 const ParticleView<double>&, const EnergyView&,
                                                 std::uint32_t, StepControl*);

}  // namespace firn
