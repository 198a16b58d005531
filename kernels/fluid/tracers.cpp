#include "kernels/fluid/tracers.inl"
#include "kernels/exec/host.h"

namespace firn {

template void advance_tracers<Cpu, 2, float>(Cpu&, const ParticleBounds<float, 2>&,
                                             const GridView<float>&, const MacView<float>&, float*,
                                             std::uint32_t, const StepControl*);
template void advance_tracers<Cpu, 2, double>(Cpu&, const ParticleBounds<double, 2>&,
                                              const GridView<double>&, const MacView<double>&,
                                              double*, std::uint32_t, const StepControl*);
template void advance_tracers<Cpu, 3, float>(Cpu&, const ParticleBounds<float, 3>&,
                                             const GridView<float>&, const MacView<float>&, float*,
                                             std::uint32_t, const StepControl*);
template void advance_tracers<Cpu, 3, double>(Cpu&, const ParticleBounds<double, 3>&,
                                              const GridView<double>&, const MacView<double>&,
                                              double*, std::uint32_t, const StepControl*);

}  // namespace firn
