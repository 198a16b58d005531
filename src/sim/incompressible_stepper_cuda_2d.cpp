#include "src/sim/incompressible_stepper.inl"

namespace firn {

template class IncompressibleStepper<Cuda, 2, float>;
template class IncompressibleStepper<Cuda, 2, double>;

}  // namespace firn
