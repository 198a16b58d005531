#include "kernels/exec/cuda.cuh"
#include "kernels/thermal/shear.inl"

namespace firn {

template void measure_stretch<Cuda, 2, float>(Cuda&, const MaterialParams<float>*,
                                              const ParticleView<float>&, const HeatView<float>&,
                                              const ShearView<float>&, std::uint32_t, StepControl*);
template void apply_shear<Cuda, 2, float>(Cuda&, const ShearProblem<float>&);
template void begin_shear<Cuda, 2, float>(Cuda&, const ShearProblem<float>&, const SolveOptions&);
template void advance_shear<Cuda, 2, float>(Cuda&, const ShearProblem<float>&, bool);
template void multiply_shear<Cuda, 2, float>(Cuda&, const ShearProblem<float>&);
template void end_shear<Cuda, 2, float>(Cuda&, const ShearProblem<float>&);
template void measure_stretch<Cuda, 2, double>(Cuda&, const MaterialParams<double>*,
                                               const ParticleView<double>&, const HeatView<double>&,
                                               const ShearView<double>&, std::uint32_t,
                                               StepControl*);
template void apply_shear<Cuda, 2, double>(Cuda&, const ShearProblem<double>&);
template void begin_shear<Cuda, 2, double>(Cuda&, const ShearProblem<double>&, const SolveOptions&);
template void advance_shear<Cuda, 2, double>(Cuda&, const ShearProblem<double>&, bool);
template void multiply_shear<Cuda, 2, double>(Cuda&, const ShearProblem<double>&);
template void end_shear<Cuda, 2, double>(Cuda&, const ShearProblem<double>&);
template void measure_stretch<Cuda, 3, float>(Cuda&, const MaterialParams<float>*,
                                              const ParticleView<float>&, const HeatView<float>&,
                                              const ShearView<float>&, std::uint32_t, StepControl*);
template void apply_shear<Cuda, 3, float>(Cuda&, const ShearProblem<float>&);
template void begin_shear<Cuda, 3, float>(Cuda&, const ShearProblem<float>&, const SolveOptions&);
template void advance_shear<Cuda, 3, float>(Cuda&, const ShearProblem<float>&, bool);
template void multiply_shear<Cuda, 3, float>(Cuda&, const ShearProblem<float>&);
template void end_shear<Cuda, 3, float>(Cuda&, const ShearProblem<float>&);
template void measure_stretch<Cuda, 3, double>(Cuda&, const MaterialParams<double>*,
                                               const ParticleView<double>&, const HeatView<double>&,
                                               const ShearView<double>&, std::uint32_t,
                                               StepControl*);
template void apply_shear<Cuda, 3, double>(Cuda&, const ShearProblem<double>&);
template void begin_shear<Cuda, 3, double>(Cuda&, const ShearProblem<double>&, const SolveOptions&);
template void advance_shear<Cuda, 3, double>(Cuda&, const ShearProblem<double>&, bool);
template void multiply_shear<Cuda, 3, double>(Cuda&, const ShearProblem<double>&);
template void end_shear<Cuda, 3, double>(Cuda&, const ShearProblem<double>&);

}  // namespace firn
