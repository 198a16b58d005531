#include "kernels/exec/host.h"
#include "kernels/transfer/p2g.inl"

namespace firn {

template void p2g<Cpu, 3, double>(Cpu&, const TransferParams&, const ParticleView<double>&,
                                  const LateParticles&, const GridView<double>&, const StepControl*,
                                  std::uint32_t);

}  // namespace firn
