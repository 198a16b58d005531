#include "kernels/exec/cuda.cuh"
#include "kernels/transfer/g2p2g.inl"

namespace firn {

template void g2p2g<Cuda, 3, float>(Cuda&, const TransferParams&, const ParticleBounds<float, 3>&,
                                    const GridUpdateParams<float, 3>&, const MaterialParams<float>*,
                                    const EnergyView&, const ParticleView<float>&,
                                    const GridView<float>&, StepControl*, std::uint32_t);

}  // namespace firn
