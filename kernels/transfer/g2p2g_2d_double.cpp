#include "kernels/exec/host.h"
#include "kernels/transfer/g2p2g.inl"

namespace firn {

template void g2p2g<Cpu, 2, double>(Cpu&, const TransferParams&, const ParticleBounds<double, 2>&,
                                    const GridUpdateParams<double, 2>&,
                                    const MaterialParams<double>*, const EnergyView&,
                                    const ParticleView<double>&, const GridView<double>&,
                                    StepControl*, std::uint32_t);

}  // namespace firn
