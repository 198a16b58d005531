#include "kernels/exec/multiply_add.inl"
#include "kernels/exec/host.h"

namespace firn {

template void multiply_add<Cpu, float>(Cpu&, std::uint32_t, float*);
template void multiply_add<Cpu, double>(Cpu&, std::uint32_t, double*);

}  // namespace firn
