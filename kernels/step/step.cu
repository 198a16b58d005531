#include "kernels/exec/cuda.cuh"
#include "kernels/step/step.inl"

namespace firn {

template void begin_step<Cuda>(Cuda&, const StepLimits*, StepControl*);
template void end_step<Cuda>(Cuda&, StepControl*);

}  // namespace firn
