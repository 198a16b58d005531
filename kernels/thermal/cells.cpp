#include "kernels/thermal/cells.inl"
#include "kernels/exec/host.h"

namespace firn {

template void heat_p2g<Cpu, 2, float>(Cpu&, const ParticleView<float>&, const GridView<float>&,
                                      const HeatView<float>&, std::uint32_t, const StepControl*);
template void power_p2g<Cpu, 2, float>(Cpu&, const ParticleView<float>&, const GridView<float>&,
                                       const HeatView<float>&, std::uint32_t, StepControl*);
template void settle_cells<Cpu, 2, float>(Cpu&, const GridUpdateParams<float, 2>&,
                                          const GridView<float>&, const HeatView<float>&,
                                          std::uint32_t, StepControl*);
template void assemble_heat<Cpu, 2, float>(Cpu&, const GridUpdateParams<float, 2>&,
                                           const GridView<float>&, const MacView<float>&,
                                           const HeatView<float>&, std::uint32_t, StepControl*);
template void apply_fluxes<Cpu, 2, float>(Cpu&, const MacView<float>&, const HeatView<float>&,
                                          std::uint32_t, const StepControl*);
template void heat_g2p<Cpu, 2, float>(Cpu&, const ParticleView<float>&, const GridView<float>&,
                                      const HeatView<float>&, std::uint32_t, const StepControl*);
template void heat_p2g<Cpu, 2, double>(Cpu&, const ParticleView<double>&, const GridView<double>&,
                                       const HeatView<double>&, std::uint32_t, const StepControl*);
template void power_p2g<Cpu, 2, double>(Cpu&, const ParticleView<double>&, const GridView<double>&,
                                        const HeatView<double>&, std::uint32_t, StepControl*);
template void settle_cells<Cpu, 2, double>(Cpu&, const GridUpdateParams<double, 2>&,
                                           const GridView<double>&, const HeatView<double>&,
                                           std::uint32_t, StepControl*);
template void assemble_heat<Cpu, 2, double>(Cpu&, const GridUpdateParams<double, 2>&,
                                            const GridView<double>&, const MacView<double>&,
                                            const HeatView<double>&, std::uint32_t, StepControl*);
template void apply_fluxes<Cpu, 2, double>(Cpu&, const MacView<double>&, const HeatView<double>&,
                                           std::uint32_t, const StepControl*);
template void heat_g2p<Cpu, 2, double>(Cpu&, const ParticleView<double>&, const GridView<double>&,
                                       const HeatView<double>&, std::uint32_t, const StepControl*);
template void heat_p2g<Cpu, 3, float>(Cpu&, const ParticleView<float>&, const GridView<float>&,
                                      const HeatView<float>&, std::uint32_t, const StepControl*);
template void power_p2g<Cpu, 3, float>(Cpu&, const ParticleView<float>&, const GridView<float>&,
                                       const HeatView<float>&, std::uint32_t, StepControl*);
template void settle_cells<Cpu, 3, float>(Cpu&, const GridUpdateParams<float, 3>&,
                                          const GridView<float>&, const HeatView<float>&,
                                          std::uint32_t, StepControl*);
template void assemble_heat<Cpu, 3, float>(Cpu&, const GridUpdateParams<float, 3>&,
                                           const GridView<float>&, const MacView<float>&,
                                           const HeatView<float>&, std::uint32_t, StepControl*);
template void apply_fluxes<Cpu, 3, float>(Cpu&, const MacView<float>&, const HeatView<float>&,
                                          std::uint32_t, const StepControl*);
template void heat_g2p<Cpu, 3, float>(Cpu&, const ParticleView<float>&, const GridView<float>&,
                                      const HeatView<float>&, std::uint32_t, const StepControl*);
template void heat_p2g<Cpu, 3, double>(Cpu&, const ParticleView<double>&, const GridView<double>&,
                                       const HeatView<double>&, std::uint32_t, const StepControl*);
template void power_p2g<Cpu, 3, double>(Cpu&, const ParticleView<double>&, const GridView<double>&,
                                        const HeatView<double>&, std::uint32_t, StepControl*);
template void settle_cells<Cpu, 3, double>(Cpu&, const GridUpdateParams<double, 3>&,
                                           const GridView<double>&, const HeatView<double>&,
                                           std::uint32_t, StepControl*);
template void assemble_heat<Cpu, 3, double>(Cpu&, const GridUpdateParams<double, 3>&,
                                            const GridView<double>&, const MacView<double>&,
                                            const HeatView<double>&, std::uint32_t, StepControl*);
template void apply_fluxes<Cpu, 3, double>(Cpu&, const MacView<double>&, const HeatView<double>&,
                                           std::uint32_t, const StepControl*);
template void heat_g2p<Cpu, 3, double>(Cpu&, const ParticleView<double>&, const GridView<double>&,
                                       const HeatView<double>&, std::uint32_t, const StepControl*);

}  // namespace firn
