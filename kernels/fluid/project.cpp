#include "kernels/fluid/project.inl"
#include "kernels/exec/host.h"

namespace firn {

template void assemble_projection<Cpu, 2, float>(Cpu&, const GridView<float>&,
                                                 const MacView<float>&, std::uint32_t,
                                                 const StepControl*);
template void apply_pressure<Cpu, 2, float>(Cpu&, const GridView<float>&, const MacView<float>&,
                                            std::uint32_t, const StepControl*);
template void apply_drift<Cpu, 2, float>(Cpu&, bool, const GridView<float>&, const MacView<float>&,
                                         std::uint32_t, const StepControl*);
template void extrapolate_faces<Cpu, 2, float>(Cpu&, int, const MacView<float>&, std::uint32_t,
                                               const StepControl*);
template void complete_faces<Cpu, 2, float>(Cpu&, const MacView<float>&, std::uint32_t,
                                            const StepControl*);
template void assemble_projection<Cpu, 2, double>(Cpu&, const GridView<double>&,
                                                  const MacView<double>&, std::uint32_t,
                                                  const StepControl*);
template void apply_pressure<Cpu, 2, double>(Cpu&, const GridView<double>&, const MacView<double>&,
                                             std::uint32_t, const StepControl*);
template void apply_drift<Cpu, 2, double>(Cpu&, bool, const GridView<double>&,
                                          const MacView<double>&, std::uint32_t,
                                          const StepControl*);
template void extrapolate_faces<Cpu, 2, double>(Cpu&, int, const MacView<double>&, std::uint32_t,
                                                const StepControl*);
template void complete_faces<Cpu, 2, double>(Cpu&, const MacView<double>&, std::uint32_t,
                                             const StepControl*);
template void assemble_projection<Cpu, 3, float>(Cpu&, const GridView<float>&,
                                                 const MacView<float>&, std::uint32_t,
                                                 const StepControl*);
template void apply_pressure<Cpu, 3, float>(Cpu&, const GridView<float>&, const MacView<float>&,
                                            std::uint32_t, const StepControl*);
template void apply_drift<Cpu, 3, float>(Cpu&, bool, const GridView<float>&, const MacView<float>&,
                                         std::uint32_t, const StepControl*);
template void extrapolate_faces<Cpu, 3, float>(Cpu&, int, const MacView<float>&, std::uint32_t,
                                               const StepControl*);
template void complete_faces<Cpu, 3, float>(Cpu&, const MacView<float>&, std::uint32_t,
                                            const StepControl*);
template void assemble_projection<Cpu, 3, double>(Cpu&, const GridView<double>&,
                                                  const MacView<double>&, std::uint32_t,
                                                  const StepControl*);
template void apply_pressure<Cpu, 3, double>(Cpu&, const GridView<double>&, const MacView<double>&,
                                             std::uint32_t, const StepControl*);
template void apply_drift<Cpu, 3, double>(Cpu&, bool, const GridView<double>&,
                                          const MacView<double>&, std::uint32_t,
                                          const StepControl*);
template void extrapolate_faces<Cpu, 3, double>(Cpu&, int, const MacView<double>&, std::uint32_t,
                                                const StepControl*);
template void complete_faces<Cpu, 3, double>(Cpu&, const MacView<double>&, std::uint32_t,
                                             const StepControl*);

}  // namespace firn
