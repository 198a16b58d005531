#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/prepare.inl"

namespace firn {

template void classify_cells<Cuda, 2, float>(Cuda&, const ParticleView<float>&,
                                             const GridView<float>&, const MacView<float>&,
                                             std::uint32_t, const StepControl*);
template void prepare_faces<Cuda, 2, float>(Cuda&, FacePass, const GridUpdateParams<float, 2>&,
                                            const GridView<float>&, const MacView<float>&,
                                            std::uint32_t, const StepControl*);
template void flood_cells<Cuda, 2, float>(Cuda&, const GridUpdateParams<float, 2>&, bool,
                                          const GridView<float>&, const MacView<float>&,
                                          std::uint32_t, const StepControl*);
template void classify_cells<Cuda, 2, double>(Cuda&, const ParticleView<double>&,
                                              const GridView<double>&, const MacView<double>&,
                                              std::uint32_t, const StepControl*);
template void prepare_faces<Cuda, 2, double>(Cuda&, FacePass, const GridUpdateParams<double, 2>&,
                                             const GridView<double>&, const MacView<double>&,
                                             std::uint32_t, const StepControl*);
template void flood_cells<Cuda, 2, double>(Cuda&, const GridUpdateParams<double, 2>&, bool,
                                           const GridView<double>&, const MacView<double>&,
                                           std::uint32_t, const StepControl*);
template void classify_cells<Cuda, 3, float>(Cuda&, const ParticleView<float>&,
                                             const GridView<float>&, const MacView<float>&,
                                             std::uint32_t, const StepControl*);
template void prepare_faces<Cuda, 3, float>(Cuda&, FacePass, const GridUpdateParams<float, 3>&,
                                            const GridView<float>&, const MacView<float>&,
                                            std::uint32_t, const StepControl*);
template void flood_cells<Cuda, 3, float>(Cuda&, const GridUpdateParams<float, 3>&, bool,
                                          const GridView<float>&, const MacView<float>&,
                                          std::uint32_t, const StepControl*);
template void classify_cells<Cuda, 3, double>(Cuda&, const ParticleView<double>&,
                                              const GridView<double>&, const MacView<double>&,
                                              std::uint32_t, const StepControl*);
template void prepare_faces<Cuda, 3, double>(Cuda&, FacePass, const GridUpdateParams<double, 3>&,
                                             const GridView<double>&, const MacView<double>&,
                                             std::uint32_t, const StepControl*);
template void flood_cells<Cuda, 3, double>(Cuda&, const GridUpdateParams<double, 3>&, bool,
                                           const GridView<double>&, const MacView<double>&,
                                           std::uint32_t, const StepControl*);

}  // namespace firn
