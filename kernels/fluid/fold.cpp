#include "kernels/fluid/fold.inl"
#include "kernels/exec/host.h"

namespace firn {

template void fold_faces<Cpu, 2, float>(Cpu&, const GridUpdateParams<float, 2>&, int,
                                        std::uint32_t*, const GridView<float>&,
                                        const MacView<float>&, std::uint32_t, const StepControl*);
template void fold_faces<Cpu, 2, double>(Cpu&, const GridUpdateParams<double, 2>&, int,
                                         std::uint32_t*, const GridView<double>&,
                                         const MacView<double>&, std::uint32_t, const StepControl*);
template void fold_faces<Cpu, 3, float>(Cpu&, const GridUpdateParams<float, 3>&, int,
                                        std::uint32_t*, const GridView<float>&,
                                        const MacView<float>&, std::uint32_t, const StepControl*);
template void fold_faces<Cpu, 3, double>(Cpu&, const GridUpdateParams<double, 3>&, int,
                                         std::uint32_t*, const GridView<double>&,
                                         const MacView<double>&, std::uint32_t, const StepControl*);

}  // namespace firn
