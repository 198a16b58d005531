#include "kernels/exec/cuda.cuh"
#include "kernels/thermal/shear.inl"

namespace firn {

template void measure_stretch<Cuda, 2, float>(Cuda&, const MaterialParams<float>*,
                                              const ParticleView<float>&, const HeatView<float>&,
                                              const ShearView<float>&, std::uint32_t, StepControl*);
template void keep_impulses<Cuda, 2, float>(Cuda&, const MacView<float>&, const ShearView<float>&,
                                            std::uint32_t, const StepControl*);
template void apply_shear<Cuda, 2, float>(Cuda&, int, const ParticleView<float>&,
                                          const GridView<float>&, const MacView<float>&,
                                          const ShearView<float>&, std::uint32_t,
                                          const StepControl*);
template void begin_shear<Cuda, 2, float>(Cuda&, int, const SolveOptions&,
                                          const ParticleView<float>&, const GridView<float>&,
                                          const MacView<float>&, const ShearView<float>&,
                                          std::uint32_t, const StepControl*);
template void iterate_shear<Cuda, 2, float>(Cuda&, int, const ParticleView<float>&,
                                            const GridView<float>&, const MacView<float>&,
                                            const ShearView<float>&, std::uint32_t,
                                            const StepControl*);
template void measure_stretch<Cuda, 2, double>(Cuda&, const MaterialParams<double>*,
                                               const ParticleView<double>&, const HeatView<double>&,
                                               const ShearView<double>&, std::uint32_t,
                                               StepControl*);
template void keep_impulses<Cuda, 2, double>(Cuda&, const MacView<double>&,
                                             const ShearView<double>&, std::uint32_t,
                                             const StepControl*);
template void apply_shear<Cuda, 2, double>(Cuda&, int, const ParticleView<double>&,
                                           const GridView<double>&, const MacView<double>&,
                                           const ShearView<double>&, std::uint32_t,
                                           const StepControl*);
template void begin_shear<Cuda, 2, double>(Cuda&, int, const SolveOptions&,
                                           const ParticleView<double>&, const GridView<double>&,
                                           const MacView<double>&, const ShearView<double>&,
                                           std::uint32_t, const StepControl*);
template void iterate_shear<Cuda, 2, double>(Cuda&, int, const ParticleView<double>&,
                                             const GridView<double>&, const MacView<double>&,
                                             const ShearView<double>&, std::uint32_t,
                                             const StepControl*);
template void measure_stretch<Cuda, 3, float>(Cuda&, const MaterialParams<float>*,
                                              const ParticleView<float>&, const HeatView<float>&,
                                              const ShearView<float>&, std::uint32_t, StepControl*);
template void keep_impulses<Cuda, 3, float>(Cuda&, const MacView<float>&, const ShearView<float>&,
                                            std::uint32_t, const StepControl*);
template void apply_shear<Cuda, 3, float>(Cuda&, int, const ParticleView<float>&,
                                          const GridView<float>&, const MacView<float>&,
                                          const ShearView<float>&, std::uint32_t,
                                          const StepControl*);
template void begin_shear<Cuda, 3, float>(Cuda&, int, const SolveOptions&,
                                          const ParticleView<float>&, const GridView<float>&,
                                          const MacView<float>&, const ShearView<float>&,
                                          std::uint32_t, const StepControl*);
template void iterate_shear<Cuda, 3, float>(Cuda&, int, const ParticleView<float>&,
                                            const GridView<float>&, const MacView<float>&,
                                            const ShearView<float>&, std::uint32_t,
                                            const StepControl*);
template void measure_stretch<Cuda, 3, double>(Cuda&, const MaterialParams<double>*,
                                               const ParticleView<double>&, const HeatView<double>&,
                                               const ShearView<double>&, std::uint32_t,
                                               StepControl*);
template void keep_impulses<Cuda, 3, double>(Cuda&, const MacView<double>&,
                                             const ShearView<double>&, std::uint32_t,
                                             const StepControl*);
template void apply_shear<Cuda, 3, double>(Cuda&, int, const ParticleView<double>&,
                                           const GridView<double>&, const MacView<double>&,
                                           const ShearView<double>&, std::uint32_t,
                                           const StepControl*);
template void begin_shear<Cuda, 3, double>(Cuda&, int, const SolveOptions&,
                                           const ParticleView<double>&, const GridView<double>&,
                                           const MacView<double>&, const ShearView<double>&,
                                           std::uint32_t, const StepControl*);
template void iterate_shear<Cuda, 3, double>(Cuda&, int, const ParticleView<double>&,
                                             const GridView<double>&, const MacView<double>&,
                                             const ShearView<double>&, std::uint32_t,
                                             const StepControl*);

}  // namespace firn
