#include "src/sim/incompressible_stepper.inl"

namespace firn {

template class IncompressibleStepper<Cuda, 3, float>;
template class IncompressibleStepper<Cuda, 3, double>;

}  // namespace firn
