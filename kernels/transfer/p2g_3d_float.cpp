#include "kernels/exec/host.h"
#include "kernels/transfer/p2g.inl"

namespace firn {

template void p2g<Cpu, 3, float>(Cpu&, const TransferParams&, const ParticleView<float>&,
                                 const LateParticles&, const GridView<float>&, const StepControl*,
                                 std::uint32_t);

}  // namespace firn
