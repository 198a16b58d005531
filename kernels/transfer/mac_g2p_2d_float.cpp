#include "kernels/exec/host.h"
#include "kernels/transfer/mac_g2p.inl"

namespace firn {

template void mac_g2p<Cpu, 2, float>(Cpu&, const TransferParams&, const ParticleBounds<float, 2>&,
                                     const ParticleView<float>&, const GridView<float>&, float*,
                                     StepControl*, std::uint32_t);

}  // namespace firn
