#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/solids.inl"

namespace firn {

template void release_sliding_faces<Cuda, 2, float>(Cuda&, const GridUpdateParams<float, 2>&,
                                                    const GridView<float>&, const MacView<float>&,
                                                    std::uint32_t, const StepControl*);
template void constrain_faces<Cuda, 2, float>(Cuda&, const GridUpdateParams<float, 2>&,
                                              const GridView<float>&, const MacView<float>&,
                                              std::uint32_t, const StepControl*);
template void pressure_reactions<Cuda, 2, float>(Cuda&, const GridUpdateParams<float, 2>&,
                                                 const GridView<float>&, const MacView<float>&,
                                                 std::uint32_t, const StepControl*);
template void release_sliding_faces<Cuda, 2, double>(Cuda&, const GridUpdateParams<double, 2>&,
                                                     const GridView<double>&,
                                                     const MacView<double>&, std::uint32_t,
                                                     const StepControl*);
template void constrain_faces<Cuda, 2, double>(Cuda&, const GridUpdateParams<double, 2>&,
                                               const GridView<double>&, const MacView<double>&,
                                               std::uint32_t, const StepControl*);
template void pressure_reactions<Cuda, 2, double>(Cuda&, const GridUpdateParams<double, 2>&,
                                                  const GridView<double>&, const MacView<double>&,
                                                  std::uint32_t, const StepControl*);
template void release_sliding_faces<Cuda, 3, float>(Cuda&, const GridUpdateParams<float, 3>&,
                                                    const GridView<float>&, const MacView<float>&,
                                                    std::uint32_t, const StepControl*);
template void constrain_faces<Cuda, 3, float>(Cuda&, const GridUpdateParams<float, 3>&,
                                              const GridView<float>&, const MacView<float>&,
                                              std::uint32_t, const StepControl*);
template void pressure_reactions<Cuda, 3, float>(Cuda&, const GridUpdateParams<float, 3>&,
                                                 const GridView<float>&, const MacView<float>&,
                                                 std::uint32_t, const StepControl*);
template void release_sliding_faces<Cuda, 3, double>(Cuda&, const GridUpdateParams<double, 3>&,
                                                     const GridView<double>&,
                                                     const MacView<double>&, std::uint32_t,
                                                     const StepControl*);
template void constrain_faces<Cuda, 3, double>(Cuda&, const GridUpdateParams<double, 3>&,
                                               const GridView<double>&, const MacView<double>&,
                                               std::uint32_t, const StepControl*);
template void pressure_reactions<Cuda, 3, double>(Cuda&, const GridUpdateParams<double, 3>&,
                                                  const GridView<double>&, const MacView<double>&,
                                                  std::uint32_t, const StepControl*);

}  // namespace firn
