// A kick of the particles by accelerations that come from outside: before P2G it is the same
// impulse on the grid as a body force in its update.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fields/particles.h"
#include "kernels/step/control.h"

namespace firn {

// Where in a step a kick may be given: fused steps have brought the particles to the grid before
// there is a layout for the step; what comes from the particles' channels is kicked before P2G.
enum class KickPlace { kGrid, kParticles };

// Whether this step's kick is to be given here: StepControl::skip_kick is 0 then, and what follows
// is done. One on the grid is given once, also where its step begins anew in more room.
template <class Exec>
void plan_kick(Exec& exec, KickPlace place, StepControl* control);

struct Kick {
  bool stops;   // a fault ends the step at once, since a solve would be blamed for it
  bool bounds;  // it counts for StepControl::force_squared
};

// v += dt a, with the dt of the step, or of the next one where a fused step has just ended.
// `acceleration`, m/s^2, is a channel of d components whose chunks are counted from the first one
// that holds particles. A velocity that is not finite then is a fault.
template <class Exec, int D, class Real>
void accelerate(Exec& exec, const ParticleView<Real>& particles, const Real* acceleration,
                std::uint32_t max_chunks, Kick kick, StepControl* control);

// After that: raises kStopForce where the step's dt, chosen before its forces were known, lets them
// move what rests by more than time.cfl allows.
template <class Exec>
void bound_kick(Exec& exec, const StepLimits* limits, StepControl* control);

}  // namespace firn
