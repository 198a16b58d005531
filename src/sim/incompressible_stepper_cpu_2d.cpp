#include "src/sim/incompressible_stepper.inl"

namespace firn {

template class IncompressibleStepper<Cpu, 2, float>;
template class IncompressibleStepper<Cpu, 2, double>;

}  // namespace firn
