#include "kernels/exec/cuda.cuh"
#include "kernels/transfer/mac_g2p.inl"

namespace firn {

template void mac_g2p<Cuda, 2, float>(Cuda&, const TransferParams&, const ParticleBounds<float, 2>&,
                                      const ParticleView<float>&, const GridView<float>&, float*,
                                      StepControl*, std::uint32_t);

}  // namespace firn
