#include "kernels/exec/cuda.cuh"
#include "kernels/thermal/matter.inl"

namespace firn {

template void matter_p2g<Cuda, 2, float>(Cuda&, const ParticleView<float>&, const GridView<float>&,
                                         const HeatView<float>&, std::uint32_t, const StepControl*);
template void settle_matter<Cuda, 2, float>(Cuda&, bool, const MacView<float>&,
                                            const HeatView<float>&, std::uint32_t,
                                            const StepControl*);
template void compress_cells<Cuda, 2, float>(Cuda&, const MacView<float>&, const HeatView<float>&,
                                             std::uint32_t, const StepControl*);
template void volume_g2p<Cuda, 2, float>(Cuda&, const ParticleView<float>&, const GridView<float>&,
                                         const MacView<float>&, const HeatView<float>&,
                                         std::uint32_t, const StepControl*);
template void deform_particles<Cuda, 2, float>(Cuda&, const MaterialParams<float>*,
                                               const ParticleView<float>&, const HeatView<float>&,
                                               bool, std::uint32_t, StepControl*);
template void matter_p2g<Cuda, 2, double>(Cuda&, const ParticleView<double>&,
                                          const GridView<double>&, const HeatView<double>&,
                                          std::uint32_t, const StepControl*);
template void settle_matter<Cuda, 2, double>(Cuda&, bool, const MacView<double>&,
                                             const HeatView<double>&, std::uint32_t,
                                             const StepControl*);
template void compress_cells<Cuda, 2, double>(Cuda&, const MacView<double>&,
                                              const HeatView<double>&, std::uint32_t,
                                              const StepControl*);
template void volume_g2p<Cuda, 2, double>(Cuda&, const ParticleView<double>&,
                                          const GridView<double>&, const MacView<double>&,
                                          const HeatView<double>&, std::uint32_t,
                                          const StepControl*);
template void deform_particles<Cuda, 2, double>(Cuda&, const MaterialParams<double>*,
                                                const ParticleView<double>&,
                                                const HeatView<double>&, bool, std::uint32_t,
                                                StepControl*);
template void matter_p2g<Cuda, 3, float>(Cuda&, const ParticleView<float>&, const GridView<float>&,
                                         const HeatView<float>&, std::uint32_t, const StepControl*);
template void settle_matter<Cuda, 3, float>(Cuda&, bool, const MacView<float>&,
                                            const HeatView<float>&, std::uint32_t,
                                            const StepControl*);
template void compress_cells<Cuda, 3, float>(Cuda&, const MacView<float>&, const HeatView<float>&,
                                             std::uint32_t, const StepControl*);
template void volume_g2p<Cuda, 3, float>(Cuda&, const ParticleView<float>&, const GridView<float>&,
                                         const MacView<float>&, const HeatView<float>&,
                                         std::uint32_t, const StepControl*);
template void deform_particles<Cuda, 3, float>(Cuda&, const MaterialParams<float>*,
                                               const ParticleView<float>&, const HeatView<float>&,
                                               bool, std::uint32_t, StepControl*);
template void matter_p2g<Cuda, 3, double>(Cuda&, const ParticleView<double>&,
                                          const GridView<double>&, const HeatView<double>&,
                                          std::uint32_t, const StepControl*);
template void settle_matter<Cuda, 3, double>(Cuda&, bool, const MacView<double>&,
                                             const HeatView<double>&, std::uint32_t,
                                             const StepControl*);
template void compress_cells<Cuda, 3, double>(Cuda&, const MacView<double>&,
                                              const HeatView<double>&, std::uint32_t,
                                              const StepControl*);
template void volume_g2p<Cuda, 3, double>(Cuda&, const ParticleView<double>&,
                                          const GridView<double>&, const MacView<double>&,
                                          const HeatView<double>&, std::uint32_t,
                                          const StepControl*);
template void deform_particles<Cuda, 3, double>(Cuda&, const MaterialParams<double>*,
                                                const ParticleView<double>&,
                                                const HeatView<double>&, bool, std::uint32_t,
                                                StepControl*);

}  // namespace firn
