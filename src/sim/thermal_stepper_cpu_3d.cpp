#include "src/sim/thermal_stepper.inl"

namespace firn {

template class ThermalStepper<Cpu, 3, float>;
template class ThermalStepper<Cpu, 3, double>;

}  // namespace firn
