#include "kernels/thermal/matter.inl"
#include "kernels/exec/host.h"

namespace firn {

template void matter_p2g<Cpu, 2, float>(Cpu&, const ParticleView<float>&, const GridView<float>&,
                                        const HeatView<float>&, std::uint32_t, const StepControl*);
template void settle_matter<Cpu, 2, float>(Cpu&, bool, const MacView<float>&,
                                           const HeatView<float>&, std::uint32_t,
                                           const StepControl*);
template void compress_cells<Cpu, 2, float>(Cpu&, const MacView<float>&, const HeatView<float>&,
                                            std::uint32_t, const StepControl*);
template void volume_g2p<Cpu, 2, float>(Cpu&, const ParticleView<float>&, const GridView<float>&,
                                        const MacView<float>&, const HeatView<float>&,
                                        std::uint32_t, const StepControl*);
template void deform_particles<Cpu, 2, float>(Cpu&, const MaterialParams<float>*,
                                              const ParticleView<float>&, const HeatView<float>&,
                                              bool, std::uint32_t, StepControl*);
template void matter_p2g<Cpu, 2, double>(Cpu&, const ParticleView<double>&, const GridView<double>&,
                                         const HeatView<double>&, std::uint32_t,
                                         const StepControl*);
template void settle_matter<Cpu, 2, double>(Cpu&, bool, const MacView<double>&,
                                            const HeatView<double>&, std::uint32_t,
                                            const StepControl*);
template void compress_cells<Cpu, 2, double>(Cpu&, const MacView<double>&, const HeatView<double>&,
                                             std::uint32_t, const StepControl*);
template void volume_g2p<Cpu, 2, double>(Cpu&, const ParticleView<double>&, const GridView<double>&,
                                         const MacView<double>&, const HeatView<double>&,
                                         std::uint32_t, const StepControl*);
template void deform_particles<Cpu, 2, double>(Cpu&, const MaterialParams<double>*,
                                               const ParticleView<double>&, const HeatView<double>&,
                                               bool, std::uint32_t, StepControl*);
template void matter_p2g<Cpu, 3, float>(Cpu&, const ParticleView<float>&, const GridView<float>&,
                                        const HeatView<float>&, std::uint32_t, const StepControl*);
template void settle_matter<Cpu, 3, float>(Cpu&, bool, const MacView<float>&,
                                           const HeatView<float>&, std::uint32_t,
                                           const StepControl*);
template void compress_cells<Cpu, 3, float>(Cpu&, const MacView<float>&, const HeatView<float>&,
                                            std::uint32_t, const StepControl*);
template void volume_g2p<Cpu, 3, float>(Cpu&, const ParticleView<float>&, const GridView<float>&,
                                        const MacView<float>&, const HeatView<float>&,
                                        std::uint32_t, const StepControl*);
template void deform_particles<Cpu, 3, float>(Cpu&, const MaterialParams<float>*,
                                              const ParticleView<float>&, const HeatView<float>&,
                                              bool, std::uint32_t, StepControl*);
template void matter_p2g<Cpu, 3, double>(Cpu&, const ParticleView<double>&, const GridView<double>&,
                                         const HeatView<double>&, std::uint32_t,
                                         const StepControl*);
template void settle_matter<Cpu, 3, double>(Cpu&, bool, const MacView<double>&,
                                            const HeatView<double>&, std::uint32_t,
                                            const StepControl*);
template void compress_cells<Cpu, 3, double>(Cpu&, const MacView<double>&, const HeatView<double>&,
                                             std::uint32_t, const StepControl*);
template void volume_g2p<Cpu, 3, double>(Cpu&, const ParticleView<double>&, const GridView<double>&,
                                         const MacView<double>&, const HeatView<double>&,
                                         std::uint32_t, const StepControl*);
template void deform_particles<Cpu, 3, double>(Cpu&, const MaterialParams<double>*,
                                               const ParticleView<double>&, const HeatView<double>&,
                                               bool, std::uint32_t, StepControl*);

}  // namespace firn
