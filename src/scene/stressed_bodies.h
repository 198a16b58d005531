// Which bodies begin under stress.
#pragma once

#include "firn/scene.h"

namespace firn {

inline bool begins_stressed(const Body& body) {
  const ScalarField none;
  return body.stress != VectorField() || body.stress_xy != none || body.stress_yz != none ||
         body.stress_zx != none;
}

}  // namespace firn
