// Massless points that a liquid carries along [PolyPIC fig. 2]. They read the velocities of the
// faces and change nothing.
#pragma once

#include "kernels/collide/sinks.h"
#include "kernels/exec/backend.h"
#include "kernels/mac/mac_grid.h"
#include "kernels/step/control.h"
#include "kernels/transfer/transfer.h"

namespace firn {

// Moves `count` tracers through the faces' velocities, which stand still during the step. Component
// a of tracer i is positions[a * count + i]. Faces must be complete (project.h), and `mac.valid`
// say which of them were made or continued; a tracer near none of these stays in its place. What
// leaves a periodic axis comes back at its other end; what gets into a sink is gone, and no
// component of its position is a number any more.
template <class Exec, int D, class Real>
void advance_tracers(Exec& exec, const ParticleBounds<Real, D>& bounds, const SinkView<Real>& sinks,
                     const GridView<Real>& grid, const MacView<Real>& mac, Real* positions,
                     std::uint32_t count, const StepControl* control);

}  // namespace firn
