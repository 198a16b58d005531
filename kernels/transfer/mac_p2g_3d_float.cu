#include "kernels/exec/cuda.cuh"
#include "kernels/transfer/mac_p2g.inl"

namespace firn {

template void mac_p2g<Cuda, 3, float>(Cuda&, const TransferParams&, const ParticleView<float>&,
                                      const GridView<float>&, float*, const StepControl*,
                                      std::uint32_t);

}  // namespace firn
