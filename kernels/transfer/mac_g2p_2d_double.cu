#include "kernels/exec/cuda.cuh"
#include "kernels/transfer/mac_g2p.inl"

namespace firn {

template void mac_g2p<Cuda, 2, double>(Cuda&, const TransferParams&,
                                       const ParticleBounds<double, 2>&,
                                       const ParticleView<double>&, const GridView<double>&,
                                       double*, StepControl*, std::uint32_t);

}  // namespace firn
