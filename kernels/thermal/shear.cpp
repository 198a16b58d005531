#include "kernels/thermal/shear.inl"
#include "kernels/exec/host.h"

namespace firn {

template void measure_stretch<Cpu, 2, float>(Cpu&, const MaterialParams<float>*,
                                             const ParticleView<float>&, const HeatView<float>&,
                                             const ShearView<float>&, std::uint32_t, StepControl*);
template void apply_shear<Cpu, 2, float>(Cpu&, const ShearProblem<float>&);
template void begin_shear<Cpu, 2, float>(Cpu&, const ShearProblem<float>&, const SolveOptions&);
template void advance_shear<Cpu, 2, float>(Cpu&, const ShearProblem<float>&, bool);
template void multiply_shear<Cpu, 2, float>(Cpu&, const ShearProblem<float>&);
template void end_shear<Cpu, 2, float>(Cpu&, const ShearProblem<float>&);
template void measure_stretch<Cpu, 2, double>(Cpu&, const MaterialParams<double>*,
                                              const ParticleView<double>&, const HeatView<double>&,
                                              const ShearView<double>&, std::uint32_t,
                                              StepControl*);
template void apply_shear<Cpu, 2, double>(Cpu&, const ShearProblem<double>&);
template void begin_shear<Cpu, 2, double>(Cpu&, const ShearProblem<double>&, const SolveOptions&);
template void advance_shear<Cpu, 2, double>(Cpu&, const ShearProblem<double>&, bool);
template void multiply_shear<Cpu, 2, double>(Cpu&, const ShearProblem<double>&);
template void end_shear<Cpu, 2, double>(Cpu&, const ShearProblem<double>&);
template void measure_stretch<Cpu, 3, float>(Cpu&, const MaterialParams<float>*,
                                             const ParticleView<float>&, const HeatView<float>&,
                                             const ShearView<float>&, std::uint32_t, StepControl*);
template void apply_shear<Cpu, 3, float>(Cpu&, const ShearProblem<float>&);
template void begin_shear<Cpu, 3, float>(Cpu&, const ShearProblem<float>&, const SolveOptions&);
template void advance_shear<Cpu, 3, float>(Cpu&, const ShearProblem<float>&, bool);
template void multiply_shear<Cpu, 3, float>(Cpu&, const ShearProblem<float>&);
template void end_shear<Cpu, 3, float>(Cpu&, const ShearProblem<float>&);
template void measure_stretch<Cpu, 3, double>(Cpu&, const MaterialParams<double>*,
                                              const ParticleView<double>&, const HeatView<double>&,
                                              const ShearView<double>&, std::uint32_t,
                                              StepControl*);
template void apply_shear<Cpu, 3, double>(Cpu&, const ShearProblem<double>&);
template void begin_shear<Cpu, 3, double>(Cpu&, const ShearProblem<double>&, const SolveOptions&);
template void advance_shear<Cpu, 3, double>(Cpu&, const ShearProblem<double>&, bool);
template void multiply_shear<Cpu, 3, double>(Cpu&, const ShearProblem<double>&);
template void end_shear<Cpu, 3, double>(Cpu&, const ShearProblem<double>&);

}  // namespace firn
