// A kick of the particles by accelerations that come from outside: before P2G it is the same
// impulse on the grid as a body force in its update.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fields/particles.h"
#include "kernels/step/control.h"

namespace firn {

// v += dt a, with the dt of the step, or of the next one where a fused step has just ended.
// `acceleration`, m/s^2, is a channel of d components whose chunks are counted from the
// first one that holds particles. Nothing once a stop flag is up. A velocity that is not finite
// then is a fault; with `stops` it ends the step at once, since a solve would be blamed for it.
template <class Exec, int D, class Real>
void accelerate(Exec& exec, const ParticleView<Real>& particles, const Real* acceleration,
                std::uint32_t max_chunks, bool stops, StepControl* control);

}  // namespace firn
