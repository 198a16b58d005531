#include "kernels/exec/cuda.cuh"
#include "kernels/thermal/cells.inl"

namespace firn {

template void heat_p2g<Cuda, 2, float>(Cuda&, const ParticleView<float>&, const GridView<float>&,
                                       const HeatView<float>&, std::uint32_t, const StepControl*);
template void power_p2g<Cuda, 2, float>(Cuda&, const ParticleView<float>&, const GridView<float>&,
                                        const HeatView<float>&, std::uint32_t, StepControl*);
template void settle_cells<Cuda, 2, float>(Cuda&, const GridUpdateParams<float, 2>&,
                                           const GridView<float>&, const HeatView<float>&,
                                           std::uint32_t, StepControl*);
template void assemble_heat<Cuda, 2, float>(Cuda&, const GridUpdateParams<float, 2>&,
                                            const GridView<float>&, const MacView<float>&,
                                            const HeatView<float>&, std::uint32_t, StepControl*);
template void apply_fluxes<Cuda, 2, float>(Cuda&, const MacView<float>&, const HeatView<float>&,
                                           std::uint32_t, const StepControl*);
template void heat_g2p<Cuda, 2, float>(Cuda&, const ParticleView<float>&, const GridView<float>&,
                                       const HeatView<float>&, std::uint32_t, const StepControl*);
template void heat_p2g<Cuda, 2, double>(Cuda&, const ParticleView<double>&, const GridView<double>&,
                                        const HeatView<double>&, std::uint32_t, const StepControl*);
template void power_p2g<Cuda, 2, double>(Cuda&, const ParticleView<double>&,
                                         const GridView<double>&, const HeatView<double>&,
                                         std::uint32_t, StepControl*);
template void settle_cells<Cuda, 2, double>(Cuda&, const GridUpdateParams<double, 2>&,
                                            const GridView<double>&, const HeatView<double>&,
                                            std::uint32_t, StepControl*);
template void assemble_heat<Cuda, 2, double>(Cuda&, const GridUpdateParams<double, 2>&,
                                             const GridView<double>&, const MacView<double>&,
                                             const HeatView<double>&, std::uint32_t, StepControl*);
template void apply_fluxes<Cuda, 2, double>(Cuda&, const MacView<double>&, const HeatView<double>&,
                                            std::uint32_t, const StepControl*);
template void heat_g2p<Cuda, 2, double>(Cuda&, const ParticleView<double>&, const GridView<double>&,
                                        const HeatView<double>&, std::uint32_t, const StepControl*);
template void heat_p2g<Cuda, 3, float>(Cuda&, const ParticleView<float>&, const GridView<float>&,
                                       const HeatView<float>&, std::uint32_t, const StepControl*);
template void power_p2g<Cuda, 3, float>(Cuda&, const ParticleView<float>&, const GridView<float>&,
                                        const HeatView<float>&, std::uint32_t, StepControl*);
template void settle_cells<Cuda, 3, float>(Cuda&, const GridUpdateParams<float, 3>&,
                                           const GridView<float>&, const HeatView<float>&,
                                           std::uint32_t, StepControl*);
template void assemble_heat<Cuda, 3, float>(Cuda&, const GridUpdateParams<float, 3>&,
                                            const GridView<float>&, const MacView<float>&,
                                            const HeatView<float>&, std::uint32_t, StepControl*);
template void apply_fluxes<Cuda, 3, float>(Cuda&, const MacView<float>&, const HeatView<float>&,
                                           std::uint32_t, const StepControl*);
template void heat_g2p<Cuda, 3, float>(Cuda&, const ParticleView<float>&, const GridView<float>&,
                                       const HeatView<float>&, std::uint32_t, const StepControl*);
template void heat_p2g<Cuda, 3, double>(Cuda&, const ParticleView<double>&, const GridView<double>&,
                                        const HeatView<double>&, std::uint32_t, const StepControl*);
template void power_p2g<Cuda, 3, double>(Cuda&, const ParticleView<double>&,
                                         const GridView<double>&, const HeatView<double>&,
                                         std::uint32_t, StepControl*);
template void settle_cells<Cuda, 3, double>(Cuda&, const GridUpdateParams<double, 3>&,
                                            const GridView<double>&, const HeatView<double>&,
                                            std::uint32_t, StepControl*);
template void assemble_heat<Cuda, 3, double>(Cuda&, const GridUpdateParams<double, 3>&,
                                             const GridView<double>&, const MacView<double>&,
                                             const HeatView<double>&, std::uint32_t, StepControl*);
template void apply_fluxes<Cuda, 3, double>(Cuda&, const MacView<double>&, const HeatView<double>&,
                                            std::uint32_t, const StepControl*);
template void heat_g2p<Cuda, 3, double>(Cuda&, const ParticleView<double>&, const GridView<double>&,
                                        const HeatView<double>&, std::uint32_t, const StepControl*);

}  // namespace firn
