#include "kernels/exec/cuda.cuh"
#include "kernels/transfer/mac_p2g.inl"

namespace firn {

template void mac_p2g<Cuda, 2, double>(Cuda&, const TransferParams&, const ParticleView<double>&,
                                       const GridView<double>&, double*, const StepControl*,
                                       std::uint32_t);

}  // namespace firn
