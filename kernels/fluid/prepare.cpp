#include "kernels/fluid/prepare.inl"
#include "kernels/exec/host.h"

namespace firn {

template void classify_cells<Cpu, 2, float>(Cpu&, const ParticleView<float>&,
                                            const GridView<float>&, const MacView<float>&,
                                            std::uint32_t, const StepControl*);
template void prepare_faces<Cpu, 2, float>(Cpu&, FacePass, const GridUpdateParams<float, 2>&,
                                           const GridView<float>&, const MacView<float>&,
                                           std::uint32_t, const StepControl*);
template void flood_cells<Cpu, 2, float>(Cpu&, const GridUpdateParams<float, 2>&, bool,
                                         const GridView<float>&, const MacView<float>&,
                                         std::uint32_t, const StepControl*);
template void classify_cells<Cpu, 2, double>(Cpu&, const ParticleView<double>&,
                                             const GridView<double>&, const MacView<double>&,
                                             std::uint32_t, const StepControl*);
template void prepare_faces<Cpu, 2, double>(Cpu&, FacePass, const GridUpdateParams<double, 2>&,
                                            const GridView<double>&, const MacView<double>&,
                                            std::uint32_t, const StepControl*);
template void flood_cells<Cpu, 2, double>(Cpu&, const GridUpdateParams<double, 2>&, bool,
                                          const GridView<double>&, const MacView<double>&,
                                          std::uint32_t, const StepControl*);
template void classify_cells<Cpu, 3, float>(Cpu&, const ParticleView<float>&,
                                            const GridView<float>&, const MacView<float>&,
                                            std::uint32_t, const StepControl*);
template void prepare_faces<Cpu, 3, float>(Cpu&, FacePass, const GridUpdateParams<float, 3>&,
                                           const GridView<float>&, const MacView<float>&,
                                           std::uint32_t, const StepControl*);
template void flood_cells<Cpu, 3, float>(Cpu&, const GridUpdateParams<float, 3>&, bool,
                                         const GridView<float>&, const MacView<float>&,
                                         std::uint32_t, const StepControl*);
template void classify_cells<Cpu, 3, double>(Cpu&, const ParticleView<double>&,
                                             const GridView<double>&, const MacView<double>&,
                                             std::uint32_t, const StepControl*);
template void prepare_faces<Cpu, 3, double>(Cpu&, FacePass, const GridUpdateParams<double, 3>&,
                                            const GridView<double>&, const MacView<double>&,
                                            std::uint32_t, const StepControl*);
template void flood_cells<Cpu, 3, double>(Cpu&, const GridUpdateParams<double, 3>&, bool,
                                          const GridView<double>&, const MacView<double>&,
                                          std::uint32_t, const StepControl*);

}  // namespace firn
