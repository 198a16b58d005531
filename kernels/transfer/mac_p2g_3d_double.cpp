#include "kernels/exec/host.h"
#include "kernels/transfer/mac_p2g.inl"

namespace firn {

template void mac_p2g<Cpu, 3, double>(Cpu&, const TransferParams&, const ParticleView<double>&,
                                      const GridView<double>&, double*, const StepControl*,
                                      std::uint32_t);

}  // namespace firn
