#include "kernels/fluid/fill.inl"
#include "kernels/exec/host.h"

namespace firn {

template void fill_cells<Cpu, 2, float>(Cpu&, const ParticleView<float>&, const GridView<float>&,
                                        const MacView<float>&, std::uint32_t, const StepControl*);
template void assemble_drift<Cpu, 2, float>(Cpu&, const MacView<float>&, std::uint32_t,
                                            const StepControl*);
template void fill_cells<Cpu, 2, double>(Cpu&, const ParticleView<double>&, const GridView<double>&,
                                         const MacView<double>&, std::uint32_t, const StepControl*);
template void assemble_drift<Cpu, 2, double>(Cpu&, const MacView<double>&, std::uint32_t,
                                             const StepControl*);
template void fill_cells<Cpu, 3, float>(Cpu&, const ParticleView<float>&, const GridView<float>&,
                                        const MacView<float>&, std::uint32_t, const StepControl*);
template void assemble_drift<Cpu, 3, float>(Cpu&, const MacView<float>&, std::uint32_t,
                                            const StepControl*);
template void fill_cells<Cpu, 3, double>(Cpu&, const ParticleView<double>&, const GridView<double>&,
                                         const MacView<double>&, std::uint32_t, const StepControl*);
template void assemble_drift<Cpu, 3, double>(Cpu&, const MacView<double>&, std::uint32_t,
                                             const StepControl*);

}  // namespace firn
