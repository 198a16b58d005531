// What a simulation refuses of a time that it is asked to go to.
#pragma once

#include "firn/scene.h"
#include "kernels/step/control.h"

namespace firn {

// Throws Error{kScene} if it is no number, or past. Explicit steps may have gone beyond the time
// that they were asked for, by no more than one of them.
void require_ahead(const Scene& scene, double t, const StepControl& now);

}  // namespace firn
