#include "src/sim/explicit_stepper.inl"

namespace firn {

template class ExplicitStepper<Cpu, 2, float>;
template class ExplicitStepper<Cpu, 2, double>;

}  // namespace firn
