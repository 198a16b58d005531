#include "kernels/exec/cuda.cuh"
#include "kernels/transfer/g2p2g.inl"

namespace firn {

template void g2p2g<Cuda, 3, double>(Cuda&, const TransferParams&, const ParticleBounds<double, 3>&,
                                     const GridUpdateParams<double, 3>&,
                                     const MaterialParams<double>*, const EnergyView&,
                                     const ParticleView<double>&, const GridView<double>&,
                                     StepControl*, std::uint32_t);

}  // namespace firn
