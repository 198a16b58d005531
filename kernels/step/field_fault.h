// Where an expression of the scene has no value that makes sense: the step stops and tells the
// place.
#pragma once

#include "kernels/math/field_program.h"
#include "kernels/math/vec.h"
#include "kernels/step/control.h"

namespace firn {

// The first expression found without a value; `count` is 0 while all have one.
struct FieldFault {
  std::uint32_t count;
  std::int32_t field;
  FieldPoint at;
  double value;
};

template <int D, class Real>
FIRN_HD inline FieldPoint field_point(const Vec<Real, D>& x, double time) {
  FieldPoint at{{0, 0, 0, time}};
  for (int a = 0; a < D; ++a) at.coordinate[a] = static_cast<double>(x[a]);
  return at;
}

template <class Device>
FIRN_HD inline void raise_field(const Device& device, FieldFault& fault, std::int32_t field,
                                const FieldPoint& at, double value, StepControl* control) {
  if (device.atomic_increment(fault.count) == 0) {
    fault.field = field;
    fault.at = at;
    fault.value = value;
  }
  raise(device, control, kStopField);
}

}  // namespace firn
