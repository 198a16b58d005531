#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/multigrid.inl"

namespace firn {

template void smooth<Cuda, 2, float>(Cuda&, const LevelView<float>&, const Sweep<float>&,
                                     std::uint32_t, const std::uint32_t*);
template void first_sweep<Cuda, 2, float>(Cuda&, const LevelView<float>&, std::uint32_t,
                                          const std::uint32_t*);
template void restrict_residual<Cuda, 2, float>(Cuda&, const LevelView<float>&, float*,
                                                std::uint32_t, const std::uint32_t*);
template void coarse_cycle<Cuda, 2, float>(Cuda&, const Hierarchy<float>&, int,
                                           const std::uint32_t*);
template void smooth<Cuda, 2, double>(Cuda&, const LevelView<double>&, const Sweep<double>&,
                                      std::uint32_t, const std::uint32_t*);
template void first_sweep<Cuda, 2, double>(Cuda&, const LevelView<double>&, std::uint32_t,
                                           const std::uint32_t*);
template void restrict_residual<Cuda, 2, double>(Cuda&, const LevelView<double>&, double*,
                                                 std::uint32_t, const std::uint32_t*);
template void coarse_cycle<Cuda, 2, double>(Cuda&, const Hierarchy<double>&, int,
                                            const std::uint32_t*);
template void smooth<Cuda, 3, float>(Cuda&, const LevelView<float>&, const Sweep<float>&,
                                     std::uint32_t, const std::uint32_t*);
template void first_sweep<Cuda, 3, float>(Cuda&, const LevelView<float>&, std::uint32_t,
                                          const std::uint32_t*);
template void restrict_residual<Cuda, 3, float>(Cuda&, const LevelView<float>&, float*,
                                                std::uint32_t, const std::uint32_t*);
template void coarse_cycle<Cuda, 3, float>(Cuda&, const Hierarchy<float>&, int,
                                           const std::uint32_t*);
template void smooth<Cuda, 3, double>(Cuda&, const LevelView<double>&, const Sweep<double>&,
                                      std::uint32_t, const std::uint32_t*);
template void first_sweep<Cuda, 3, double>(Cuda&, const LevelView<double>&, std::uint32_t,
                                           const std::uint32_t*);
template void restrict_residual<Cuda, 3, double>(Cuda&, const LevelView<double>&, double*,
                                                 std::uint32_t, const std::uint32_t*);
template void coarse_cycle<Cuda, 3, double>(Cuda&, const Hierarchy<double>&, int,
                                            const std::uint32_t*);

}  // namespace firn
