#include "kernels/exec/host.h"
#include "kernels/transfer/g2p.inl"

namespace firn {

template void g2p<Cpu, 3, double>(Cpu&, const TransferParams&, const ParticleBounds<double, 3>&,
                                  const ParticleView<double>&, const GridView<double>&,
                                  StepControl*, std::uint32_t);

}  // namespace firn
