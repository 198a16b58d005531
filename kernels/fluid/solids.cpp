#include "kernels/fluid/solids.inl"
#include "kernels/exec/host.h"

namespace firn {

template void release_sliding_faces<Cpu, 2, float>(Cpu&, const GridUpdateParams<float, 2>&,
                                                   const GridView<float>&, const MacView<float>&,
                                                   std::uint32_t, const StepControl*);
template void constrain_faces<Cpu, 2, float>(Cpu&, const GridUpdateParams<float, 2>&,
                                             const GridView<float>&, const MacView<float>&,
                                             std::uint32_t, const StepControl*);
template void pressure_reactions<Cpu, 2, float>(Cpu&, const GridUpdateParams<float, 2>&,
                                                const GridView<float>&, const MacView<float>&,
                                                std::uint32_t, const StepControl*);
template void release_sliding_faces<Cpu, 2, double>(Cpu&, const GridUpdateParams<double, 2>&,
                                                    const GridView<double>&, const MacView<double>&,
                                                    std::uint32_t, const StepControl*);
template void constrain_faces<Cpu, 2, double>(Cpu&, const GridUpdateParams<double, 2>&,
                                              const GridView<double>&, const MacView<double>&,
                                              std::uint32_t, const StepControl*);
template void pressure_reactions<Cpu, 2, double>(Cpu&, const GridUpdateParams<double, 2>&,
                                                 const GridView<double>&, const MacView<double>&,
                                                 std::uint32_t, const StepControl*);
template void release_sliding_faces<Cpu, 3, float>(Cpu&, const GridUpdateParams<float, 3>&,
                                                   const GridView<float>&, const MacView<float>&,
                                                   std::uint32_t, const StepControl*);
template void constrain_faces<Cpu, 3, float>(Cpu&, const GridUpdateParams<float, 3>&,
                                             const GridView<float>&, const MacView<float>&,
                                             std::uint32_t, const StepControl*);
template void pressure_reactions<Cpu, 3, float>(Cpu&, const GridUpdateParams<float, 3>&,
                                                const GridView<float>&, const MacView<float>&,
                                                std::uint32_t, const StepControl*);
template void release_sliding_faces<Cpu, 3, double>(Cpu&, const GridUpdateParams<double, 3>&,
                                                    const GridView<double>&, const MacView<double>&,
                                                    std::uint32_t, const StepControl*);
template void constrain_faces<Cpu, 3, double>(Cpu&, const GridUpdateParams<double, 3>&,
                                              const GridView<double>&, const MacView<double>&,
                                              std::uint32_t, const StepControl*);
template void pressure_reactions<Cpu, 3, double>(Cpu&, const GridUpdateParams<double, 3>&,
                                                 const GridView<double>&, const MacView<double>&,
                                                 std::uint32_t, const StepControl*);

}  // namespace firn
