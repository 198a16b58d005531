// The type of number that a scene's precision names.
#pragma once

#include "firn/error.h"
#include "firn/scene.h"

namespace firn {

// Calls f with 0 of that type. Throws Error{kDevice} where the build has no double precision.
template <class F>
auto with_precision(Precision precision, F&& f) {
  if (precision == Precision::kSingle) return f(0.0F);
#if defined(FIRN_WITHOUT_DOUBLE)
  throw Error(ErrorCategory::kDevice,
              "this firn was built without double precision (FIRN_WITH_DOUBLE=OFF); use "
              "simulation.precision = \"single\", or configure with -DFIRN_WITH_DOUBLE=ON");
#else
  return f(0.0);
#endif
}

}  // namespace firn
