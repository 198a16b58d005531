#include "kernels/exec/host.h"
#include "kernels/materials/constitutive.inl"

namespace firn {

template void constitutive_step<Cpu, 2, float>(Cpu&, const MaterialParams<float>*,
                                               const ParticleView<float>&, const EnergyView&,
                                               std::uint32_t, StepControl*);
template void constitutive_step<Cpu, 2, double>(Cpu&, const MaterialParams<double>*,
                                                const ParticleView<double>&, const EnergyView&,
                                                std::uint32_t, StepControl*);

}  // namespace firn
