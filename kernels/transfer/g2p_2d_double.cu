#include "kernels/exec/cuda.cuh"
#include "kernels/transfer/g2p.inl"

namespace firn {

template void g2p<Cuda, 2, double>(Cuda&, const TransferParams&, const ParticleBounds<double, 2>&,
                                   const ParticleView<double>&, const GridView<double>&,
                                   StepControl*, std::uint32_t);

}  // namespace firn
