#include "kernels/exec/cuda.cuh"
#include "kernels/fluid/project.inl"

namespace firn {

template void assemble_projection<Cuda, 2, float>(Cuda&, const GridView<float>&,
                                                  const MacView<float>&, std::uint32_t,
                                                  const StepControl*);
template void apply_pressure<Cuda, 2, float>(Cuda&, const GridView<float>&, const MacView<float>&,
                                             std::uint32_t, const StepControl*);
template void apply_drift<Cuda, 2, float>(Cuda&, bool, const GridView<float>&,
                                          const MacView<float>&, std::uint32_t, const StepControl*);
template void extrapolate_faces<Cuda, 2, float>(Cuda&, int, const MacView<float>&, std::uint32_t,
                                                const StepControl*);
template void complete_faces<Cuda, 2, float>(Cuda&, const MacView<float>&, std::uint32_t,
                                             const StepControl*);
template void assemble_projection<Cuda, 2, double>(Cuda&, const GridView<double>&,
                                                   const MacView<double>&, std::uint32_t,
                                                   const StepControl*);
template void apply_pressure<Cuda, 2, double>(Cuda&, const GridView<double>&,
                                              const MacView<double>&, std::uint32_t,
                                              const StepControl*);
template void apply_drift<Cuda, 2, double>(Cuda&, bool, const GridView<double>&,
                                           const MacView<double>&, std::uint32_t,
                                           const StepControl*);
template void extrapolate_faces<Cuda, 2, double>(Cuda&, int, const MacView<double>&, std::uint32_t,
                                                 const StepControl*);
template void complete_faces<Cuda, 2, double>(Cuda&, const MacView<double>&, std::uint32_t,
                                              const StepControl*);
template void assemble_projection<Cuda, 3, float>(Cuda&, const GridView<float>&,
                                                  const MacView<float>&, std::uint32_t,
                                                  const StepControl*);
template void apply_pressure<Cuda, 3, float>(Cuda&, const GridView<float>&, const MacView<float>&,
                                             std::uint32_t, const StepControl*);
template void apply_drift<Cuda, 3, float>(Cuda&, bool, const GridView<float>&,
                                          const MacView<float>&, std::uint32_t, const StepControl*);
template void extrapolate_faces<Cuda, 3, float>(Cuda&, int, const MacView<float>&, std::uint32_t,
                                                const StepControl*);
template void complete_faces<Cuda, 3, float>(Cuda&, const MacView<float>&, std::uint32_t,
                                             const StepControl*);
template void assemble_projection<Cuda, 3, double>(Cuda&, const GridView<double>&,
                                                   const MacView<double>&, std::uint32_t,
                                                   const StepControl*);
template void apply_pressure<Cuda, 3, double>(Cuda&, const GridView<double>&,
                                              const MacView<double>&, std::uint32_t,
                                              const StepControl*);
template void apply_drift<Cuda, 3, double>(Cuda&, bool, const GridView<double>&,
                                           const MacView<double>&, std::uint32_t,
                                           const StepControl*);
template void extrapolate_faces<Cuda, 3, double>(Cuda&, int, const MacView<double>&, std::uint32_t,
                                                 const StepControl*);
template void complete_faces<Cuda, 3, double>(Cuda&, const MacView<double>&, std::uint32_t,
                                              const StepControl*);

}  // namespace firn
