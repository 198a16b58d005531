#include "src/sim/thermal_stepper.inl"

namespace firn {

template class ThermalStepper<Cuda, 3, float>;
template class ThermalStepper<Cuda, 3, double>;

}  // namespace firn
