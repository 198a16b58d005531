#include "kernels/exec/host.h"
#include "kernels/transfer/g2p2g.inl"

namespace firn {

template void g2p2g<Cpu, 3, float>(Cpu&, const TransferParams&, const ParticleBounds<float, 3>&,
                                   const GridUpdateParams<float, 3>&, const MaterialParams<float>*,
                                   const EnergyView&, const ParticleView<float>&,
                                   const GridView<float>&, StepControl*, std::uint32_t);

}  // namespace firn
