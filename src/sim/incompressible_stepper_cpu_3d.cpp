#include "src/sim/incompressible_stepper.inl"

namespace firn {

template class IncompressibleStepper<Cpu, 3, float>;
template class IncompressibleStepper<Cpu, 3, double>;

}  // namespace firn
