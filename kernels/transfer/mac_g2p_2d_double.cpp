#include "kernels/exec/host.h"
#include "kernels/transfer/mac_g2p.inl"

namespace firn {

template void mac_g2p<Cpu, 2, double>(Cpu&, const TransferParams&, const ParticleBounds<double, 2>&,
                                      const ParticleView<double>&, const GridView<double>&, double*,
                                      StepControl*, std::uint32_t);

}  // namespace firn
