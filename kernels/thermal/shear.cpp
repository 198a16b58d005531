#include "kernels/thermal/shear.inl"
#include "kernels/exec/host.h"

namespace firn {

template void measure_stretch<Cpu, 2, float>(Cpu&, const MaterialParams<float>*,
                                             const ParticleView<float>&, const HeatView<float>&,
                                             const ShearView<float>&, std::uint32_t, StepControl*);
template void keep_impulses<Cpu, 2, float>(Cpu&, const MacView<float>&, const ShearView<float>&,
                                           std::uint32_t, const StepControl*);
template void apply_shear<Cpu, 2, float>(Cpu&, int, const ParticleView<float>&,
                                         const GridView<float>&, const MacView<float>&,
                                         const ShearView<float>&, std::uint32_t,
                                         const StepControl*);
template void begin_shear<Cpu, 2, float>(Cpu&, int, const SolveOptions&, const ParticleView<float>&,
                                         const GridView<float>&, const MacView<float>&,
                                         const ShearView<float>&, std::uint32_t,
                                         const StepControl*);
template void iterate_shear<Cpu, 2, float>(Cpu&, int, const ParticleView<float>&,
                                           const GridView<float>&, const MacView<float>&,
                                           const ShearView<float>&, std::uint32_t,
                                           const StepControl*);
template void measure_stretch<Cpu, 2, double>(Cpu&, const MaterialParams<double>*,
                                              const ParticleView<double>&, const HeatView<double>&,
                                              const ShearView<double>&, std::uint32_t,
                                              StepControl*);
template void keep_impulses<Cpu, 2, double>(Cpu&, const MacView<double>&, const ShearView<double>&,
                                            std::uint32_t, const StepControl*);
template void apply_shear<Cpu, 2, double>(Cpu&, int, const ParticleView<double>&,
                                          const GridView<double>&, const MacView<double>&,
                                          const ShearView<double>&, std::uint32_t,
                                          const StepControl*);
template void begin_shear<Cpu, 2, double>(Cpu&, int, const SolveOptions&,
                                          const ParticleView<double>&, const GridView<double>&,
                                          const MacView<double>&, const ShearView<double>&,
                                          std::uint32_t, const StepControl*);
template void iterate_shear<Cpu, 2, double>(Cpu&, int, const ParticleView<double>&,
                                            const GridView<double>&, const MacView<double>&,
                                            const ShearView<double>&, std::uint32_t,
                                            const StepControl*);
template void measure_stretch<Cpu, 3, float>(Cpu&, const MaterialParams<float>*,
                                             const ParticleView<float>&, const HeatView<float>&,
                                             const ShearView<float>&, std::uint32_t, StepControl*);
template void keep_impulses<Cpu, 3, float>(Cpu&, const MacView<float>&, const ShearView<float>&,
                                           std::uint32_t, const StepControl*);
template void apply_shear<Cpu, 3, float>(Cpu&, int, const ParticleView<float>&,
                                         const GridView<float>&, const MacView<float>&,
                                         const ShearView<float>&, std::uint32_t,
                                         const StepControl*);
template void begin_shear<Cpu, 3, float>(Cpu&, int, const SolveOptions&, const ParticleView<float>&,
                                         const GridView<float>&, const MacView<float>&,
                                         const ShearView<float>&, std::uint32_t,
                                         const StepControl*);
template void iterate_shear<Cpu, 3, float>(Cpu&, int, const ParticleView<float>&,
                                           const GridView<float>&, const MacView<float>&,
                                           const ShearView<float>&, std::uint32_t,
                                           const StepControl*);
template void measure_stretch<Cpu, 3, double>(Cpu&, const MaterialParams<double>*,
                                              const ParticleView<double>&, const HeatView<double>&,
                                              const ShearView<double>&, std::uint32_t,
                                              StepControl*);
template void keep_impulses<Cpu, 3, double>(Cpu&, const MacView<double>&, const ShearView<double>&,
                                            std::uint32_t, const StepControl*);
template void apply_shear<Cpu, 3, double>(Cpu&, int, const ParticleView<double>&,
                                          const GridView<double>&, const MacView<double>&,
                                          const ShearView<double>&, std::uint32_t,
                                          const StepControl*);
template void begin_shear<Cpu, 3, double>(Cpu&, int, const SolveOptions&,
                                          const ParticleView<double>&, const GridView<double>&,
                                          const MacView<double>&, const ShearView<double>&,
                                          std::uint32_t, const StepControl*);
template void iterate_shear<Cpu, 3, double>(Cpu&, int, const ParticleView<double>&,
                                            const GridView<double>&, const MacView<double>&,
                                            const ShearView<double>&, std::uint32_t,
                                            const StepControl*);

}  // namespace firn
