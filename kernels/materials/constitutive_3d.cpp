#include "kernels/exec/host.h"
#include "kernels/materials/constitutive.inl"

namespace firn {

template <>
int packs_per_chunk<Cpu, float>() {
  return HostLanes<float>::kPacksPerChunk;
}
template <>
int packs_per_chunk<Cpu, double>() {
  return HostLanes<double>::kPacksPerChunk;
}

template void constitutive_step<Cpu, 3, float>(Cpu&, const MaterialParams<float>*,
                                               const ParticleView<float>&, const EnergyView&,
                                               std::uint32_t, StepControl*);
template void constitutive_step<Cpu, 3, double>(Cpu&, const MaterialParams<double>*,
                                                const ParticleView<double>&, const EnergyView&,
                                                std::uint32_t, StepControl*);

}  // namespace firn
