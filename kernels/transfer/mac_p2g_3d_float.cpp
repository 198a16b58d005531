#include "kernels/exec/host.h"
#include "kernels/transfer/mac_p2g.inl"

namespace firn {

template void mac_p2g<Cpu, 3, float>(Cpu&, const TransferParams&, const ParticleView<float>&,
                                     const GridView<float>&, float*, const StepControl*,
                                     std::uint32_t);

}  // namespace firn
