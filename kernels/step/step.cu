#include "kernels/exec/cuda.cuh"
#include "kernels/step/step.inl"

namespace firn {

template void open_step<Cuda>(Cuda&, double, StepControl*);
template void begin_step<Cuda>(Cuda&, const StepLimits*, StepPlan, StepControl*);
template void end_step<Cuda>(Cuda&, StepControl*);

}  // namespace firn
