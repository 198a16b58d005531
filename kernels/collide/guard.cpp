#include "kernels/collide/guard.inl"
#include "kernels/exec/host.h"

namespace firn {

template void guard_particles<Cpu, 2, float>(Cpu&, const GridUpdateParams<float, 2>&,
                                             const ParticleView<float>&, const GridView<float>&,
                                             std::uint32_t, const StepControl*);
template void guard_particles<Cpu, 2, double>(Cpu&, const GridUpdateParams<double, 2>&,
                                              const ParticleView<double>&, const GridView<double>&,
                                              std::uint32_t, const StepControl*);
template void guard_particles<Cpu, 3, float>(Cpu&, const GridUpdateParams<float, 3>&,
                                             const ParticleView<float>&, const GridView<float>&,
                                             std::uint32_t, const StepControl*);
template void guard_particles<Cpu, 3, double>(Cpu&, const GridUpdateParams<double, 3>&,
                                              const ParticleView<double>&, const GridView<double>&,
                                              std::uint32_t, const StepControl*);

}  // namespace firn
