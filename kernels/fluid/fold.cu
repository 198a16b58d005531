#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/fold.inl"

namespace firn {

template void fold_faces<Cuda, 2, float>(Cuda&, const GridUpdateParams<float, 2>&, int,
                                         std::uint32_t*, const GridView<float>&,
                                         const MacView<float>&, std::uint32_t, const StepControl*);
template void fold_faces<Cuda, 2, double>(Cuda&, const GridUpdateParams<double, 2>&, int,
                                          std::uint32_t*, const GridView<double>&,
                                          const MacView<double>&, std::uint32_t,
                                          const StepControl*);
template void fold_faces<Cuda, 3, float>(Cuda&, const GridUpdateParams<float, 3>&, int,
                                         std::uint32_t*, const GridView<float>&,
                                         const MacView<float>&, std::uint32_t, const StepControl*);
template void fold_faces<Cuda, 3, double>(Cuda&, const GridUpdateParams<double, 3>&, int,
                                          std::uint32_t*, const GridView<double>&,
                                          const MacView<double>&, std::uint32_t,
                                          const StepControl*);

}  // namespace firn
