// What a scene says of heat by number or expression: the temperatures of air, walls and bodies, and
// the power of heat sources.
#pragma once

#include <cmath>

#include "kernels/collide/sdf.h"
#include "kernels/step/field_fault.h"

namespace firn {

// Temperatures by index; the powers of heat sources follow those of the bodies.
inline constexpr int kAmbientField = 0, kFirstWallField = 1, kFirstBodyField = 7;

struct HeatFields {
  const FieldProgram* programs = nullptr;
  FieldFault* fault = nullptr;
  std::int32_t first_power = kFirstBodyField;
};

template <class Real>
struct HeatSourceView {
  SdfProgram<Real> region;
  std::int32_t power;  // field
};

// Temperatures are finite and not negative, powers finite.
FIRN_HD inline bool is_possible(const HeatFields& fields, int field, double value) {
  return field < fields.first_power ? value >= 0 && value <= kLargest<float>
                                    : std::fabs(value) <= kLargest<float>;
}

// The value of a field in K or W/m^d. Without one it is 0, and the step does not go on.
template <int D, class Real, class Device>
FIRN_HD inline Real heat_field(const Device& device, const HeatFields& fields, int field,
                               const Vec<Real, D>& x, double time, StepControl* control) {
  const FieldPoint at = field_point<D>(x, time);
  const double value = field_at(fields.programs[field], at);
  if (is_possible(fields, field, value)) return static_cast<Real>(value);
  raise_field(device, *fields.fault, field, at, value, control);
  return Real(0);
}

}  // namespace firn
