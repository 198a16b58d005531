#include "kernels/step/step.inl"
#include "kernels/exec/host.h"

namespace firn {

template void begin_step<Cpu>(Cpu&, const StepLimits*, StepControl*);
template void end_step<Cpu>(Cpu&, StepControl*);

}  // namespace firn
