#include "src/sim/thermal_stepper.inl"

namespace firn {

template class ThermalStepper<Cpu, 2, float>;
template class ThermalStepper<Cpu, 2, double>;

}  // namespace firn
