#include "src/sim/thermal_stepper.inl"

namespace firn {

template class ThermalStepper<Cuda, 2, float>;
template class ThermalStepper<Cuda, 2, double>;

}  // namespace firn
