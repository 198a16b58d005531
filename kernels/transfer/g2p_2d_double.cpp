#include "kernels/exec/host.h"
#include "kernels/transfer/g2p.inl"

namespace firn {

template void g2p<Cpu, 2, double>(Cpu&, const TransferParams&, const ParticleBounds<double, 2>&,
                                  const ParticleView<double>&, const GridView<double>&,
                                  StepControl*, std::uint32_t);

}  // namespace firn
