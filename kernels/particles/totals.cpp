#include "kernels/particles/totals.inl"
#include "kernels/exec/host.h"

namespace firn {

template void particle_totals<Cpu, 2, float>(Cpu&, const TransferParams&,
                                             const ParticleView<float>&, float, std::uint32_t,
                                             double*, const StepControl*);
template void particle_totals<Cpu, 2, double>(Cpu&, const TransferParams&,
                                              const ParticleView<double>&, double, std::uint32_t,
                                              double*, const StepControl*);
template void particle_totals<Cpu, 3, float>(Cpu&, const TransferParams&,
                                             const ParticleView<float>&, float, std::uint32_t,
                                             double*, const StepControl*);
template void particle_totals<Cpu, 3, double>(Cpu&, const TransferParams&,
                                              const ParticleView<double>&, double, std::uint32_t,
                                              double*, const StepControl*);

}  // namespace firn
