#include "kernels/fluid/multigrid.inl"
#include "kernels/exec/host.h"

namespace firn {

template void smooth<Cpu, 2, float>(Cpu&, const LevelView<float>&, const Sweep<float>&,
                                    std::uint32_t, const std::uint32_t*);
template void first_sweep<Cpu, 2, float>(Cpu&, const LevelView<float>&, std::uint32_t,
                                         const std::uint32_t*);
template void restrict_residual<Cpu, 2, float>(Cpu&, const LevelView<float>&, float*, std::uint32_t,
                                               const std::uint32_t*);
template void coarse_cycle<Cpu, 2, float>(Cpu&, const Hierarchy<float>&, int, const std::uint32_t*);
template void smooth<Cpu, 2, double>(Cpu&, const LevelView<double>&, const Sweep<double>&,
                                     std::uint32_t, const std::uint32_t*);
template void first_sweep<Cpu, 2, double>(Cpu&, const LevelView<double>&, std::uint32_t,
                                          const std::uint32_t*);
template void restrict_residual<Cpu, 2, double>(Cpu&, const LevelView<double>&, double*,
                                                std::uint32_t, const std::uint32_t*);
template void coarse_cycle<Cpu, 2, double>(Cpu&, const Hierarchy<double>&, int,
                                           const std::uint32_t*);
template void smooth<Cpu, 3, float>(Cpu&, const LevelView<float>&, const Sweep<float>&,
                                    std::uint32_t, const std::uint32_t*);
template void first_sweep<Cpu, 3, float>(Cpu&, const LevelView<float>&, std::uint32_t,
                                         const std::uint32_t*);
template void restrict_residual<Cpu, 3, float>(Cpu&, const LevelView<float>&, float*, std::uint32_t,
                                               const std::uint32_t*);
template void coarse_cycle<Cpu, 3, float>(Cpu&, const Hierarchy<float>&, int, const std::uint32_t*);
template void smooth<Cpu, 3, double>(Cpu&, const LevelView<double>&, const Sweep<double>&,
                                     std::uint32_t, const std::uint32_t*);
template void first_sweep<Cpu, 3, double>(Cpu&, const LevelView<double>&, std::uint32_t,
                                          const std::uint32_t*);
template void restrict_residual<Cpu, 3, double>(Cpu&, const LevelView<double>&, double*,
                                                std::uint32_t, const std::uint32_t*);
template void coarse_cycle<Cpu, 3, double>(Cpu&, const Hierarchy<double>&, int,
                                           const std::uint32_t*);

}  // namespace firn
