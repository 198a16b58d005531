#include "kernels/exec/host.h"
#include "kernels/step/step.inl"

namespace firn {

template void begin_step<Cpu>(Cpu&, const StepLimits*, StepControl*);
template void end_step<Cpu>(Cpu&, StepControl*);

}  // namespace firn
