// What a scene says of heat by number or expression: the temperatures of air, walls and bodies, and
// the power of heat sources. Where an expression has no value that makes sense, the step stops and
// tells the place.
#pragma once

#include <cmath>

#include "kernels/collide/sdf.h"
#include "kernels/math/field_program.h"
#include "kernels/step/control.h"

namespace firn {

// Temperatures by index; the powers of heat sources follow those of the bodies.
inline constexpr int kAmbientField = 0, kFirstWallField = 1, kFirstBodyField = 7;

// The first expression found without a value; `count` is 0 while all have one.
struct FieldFault {
  std::uint32_t count;
  std::int32_t field;
  FieldPoint at;
  double value;
};

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

template <int D, class Real>
FIRN_HD inline FieldPoint field_point(const Vec<Real, D>& x, double time) {
  FieldPoint at{{0, 0, 0, time}};
  for (int a = 0; a < D; ++a) at.coordinate[a] = static_cast<double>(x[a]);
  return at;
}

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
  FieldFault& fault = *fields.fault;
  if (device.atomic_increment(fault.count) == 0) {
    fault.field = field;
    fault.at = at;
    fault.value = value;
  }
  raise(device, control, kStopField);
  return Real(0);
}

}  // namespace firn
