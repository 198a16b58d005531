#include "kernels/exec/host.h"
#include "kernels/transfer/g2p2g.inl"

namespace firn {

template void g2p2g<Cpu, 2, float>(Cpu&, const TransferParams&, const ParticleBounds<float, 2>&,
                                   const GridUpdateParams<float, 2>&, const MaterialParams<float>*,
                                   const EnergyView&, const ParticleView<float>&,
                                   const GridView<float>&, StepControl*, std::uint32_t);

}  // namespace firn
