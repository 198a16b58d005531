#include "src/sim/explicit_stepper.inl"

namespace firn {

template class ExplicitStepper<Cpu, 3, float>;
template class ExplicitStepper<Cpu, 3, double>;

}  // namespace firn
