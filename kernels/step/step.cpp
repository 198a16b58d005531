#include "kernels/step/step.inl"
#include "kernels/exec/host.h"

namespace firn {

template void open_step<Cpu>(Cpu&, double, StepControl*);
template void begin_step<Cpu>(Cpu&, const StepLimits*, StepPlan, StepControl*);
template void end_step<Cpu>(Cpu&, StepControl*);

}  // namespace firn
