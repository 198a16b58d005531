#include "kernels/exec/cuda.cuh"
#include "kernels/transfer/p2g.inl"

namespace firn {

template void p2g<Cuda, 3, float>(Cuda&, const TransferParams&, const ParticleView<float>&,
                                  const LateParticles&, const GridView<float>&, const StepControl*,
                                  std::uint32_t);

}  // namespace firn
