#include "kernels/exec/host.h"
#include "kernels/transfer/g2p.inl"

namespace firn {

template void g2p<Cpu, 3, float>(Cpu&, const TransferParams&, const ParticleBounds<float, 3>&,
                                 const ParticleView<float>&, const GridView<float>&, StepControl*,
                                 std::uint32_t);

}  // namespace firn
