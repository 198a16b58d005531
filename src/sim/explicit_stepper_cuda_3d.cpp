#include "src/sim/explicit_stepper.inl"

namespace firn {

template class ExplicitStepper<Cuda, 3, float>;
template class ExplicitStepper<Cuda, 3, double>;

}  // namespace firn
