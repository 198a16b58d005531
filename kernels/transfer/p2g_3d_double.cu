#include "kernels/exec/cuda.cuh"
#include "kernels/transfer/p2g.inl"

namespace firn {

template void p2g<Cuda, 3, double>(Cuda&, const TransferParams&, const ParticleView<double>&,
                                   const LateParticles&, const GridView<double>&,
                                   const StepControl*, std::uint32_t);

}  // namespace firn
