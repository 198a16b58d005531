#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/multigrid.inl"

namespace firn {

template void first_sweep<Cuda, 2, float>(Cuda&, const LevelView<float>&, std::uint32_t,
                                          const std::uint32_t*);
template void smooth<Cuda, 2, float>(Cuda&, const LevelView<float>&, std::uint32_t, double*,
                                     std::uint32_t, const std::uint32_t*);
template void restrict_residual<Cuda, 2, float>(Cuda&, const LevelView<float>&, float*,
                                                std::uint32_t, const std::uint32_t*);
template void prolong<Cuda, 2, float>(Cuda&, const LevelView<float>&, const float*, std::uint32_t,
                                      const std::uint32_t*);
template void first_sweep<Cuda, 2, double>(Cuda&, const LevelView<double>&, std::uint32_t,
                                           const std::uint32_t*);
template void smooth<Cuda, 2, double>(Cuda&, const LevelView<double>&, std::uint32_t, double*,
                                      std::uint32_t, const std::uint32_t*);
template void restrict_residual<Cuda, 2, double>(Cuda&, const LevelView<double>&, double*,
                                                 std::uint32_t, const std::uint32_t*);
template void prolong<Cuda, 2, double>(Cuda&, const LevelView<double>&, const double*,
                                       std::uint32_t, const std::uint32_t*);
template void first_sweep<Cuda, 3, float>(Cuda&, const LevelView<float>&, std::uint32_t,
                                          const std::uint32_t*);
template void smooth<Cuda, 3, float>(Cuda&, const LevelView<float>&, std::uint32_t, double*,
                                     std::uint32_t, const std::uint32_t*);
template void restrict_residual<Cuda, 3, float>(Cuda&, const LevelView<float>&, float*,
                                                std::uint32_t, const std::uint32_t*);
template void prolong<Cuda, 3, float>(Cuda&, const LevelView<float>&, const float*, std::uint32_t,
                                      const std::uint32_t*);
template void first_sweep<Cuda, 3, double>(Cuda&, const LevelView<double>&, std::uint32_t,
                                           const std::uint32_t*);
template void smooth<Cuda, 3, double>(Cuda&, const LevelView<double>&, std::uint32_t, double*,
                                      std::uint32_t, const std::uint32_t*);
template void restrict_residual<Cuda, 3, double>(Cuda&, const LevelView<double>&, double*,
                                                 std::uint32_t, const std::uint32_t*);
template void prolong<Cuda, 3, double>(Cuda&, const LevelView<double>&, const double*,
                                       std::uint32_t, const std::uint32_t*);

}  // namespace firn
