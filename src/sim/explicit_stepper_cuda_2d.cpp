#include "src/sim/explicit_stepper.inl"

namespace firn {

template class ExplicitStepper<Cuda, 2, float>;
template class ExplicitStepper<Cuda, 2, double>;

}  // namespace firn
