#include "kernels/exec/cuda.cuh"
#include "kernels/transfer/g2p.inl"

namespace firn {

template void g2p<Cuda, 2, float>(Cuda&, const TransferParams&, const ParticleBounds<float, 2>&,
                                  const ParticleView<float>&, const GridView<float>&, StepControl*,
                                  std::uint32_t);

}  // namespace firn
