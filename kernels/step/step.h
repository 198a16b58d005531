// The operators that open and close a step: choose dt from what the last step measured, count, and
// stop.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/math/scalar.h"
#include "kernels/step/control.h"

namespace firn {

// When dt is chosen, and what the step may leave on the grid for the next one.
enum class StepPlan {
  kFresh,  // from what the last step measured
  kAhead,  // a step earlier, as fused steps must
  kFused,  // and the gather scatters for the next step, unless this one reaches the target
  kFusedWithVelocities,  // and leaves the particles' velocities with them as well
};

// Decides which parts of the step are needed: see StepControl::skip_layout.
template <class Exec>
void open_step(Exec& exec, double dx, StepControl* control);

// Chooses dt so that the target time is met exactly, and clears the maxima.
// Raises kStopDiverged with Fault::kTimeStep if a stable step would be shorter than dt_min.
template <class Exec>
void begin_step(Exec& exec, const StepLimits* limits, StepPlan plan, StepControl* control);

// s, in which the strongest force moves what rests by time.cfl of a cell.
FIRN_HD inline double force_bound(const StepLimits& limits, const StepControl& c) {
  return sqrt(limits.cfl * limits.dx / sqrt(c.force_squared));
}

// Advances time; raises kStopTarget when it is reached and kStopDiverged when a fault was recorded.
template <class Exec>
void end_step(Exec& exec, StepControl* control);

}  // namespace firn
