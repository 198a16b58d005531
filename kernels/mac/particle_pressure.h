// The pressure of the projection where the particles are.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fields/particles.h"
#include "kernels/mac/mac_grid.h"
#include "kernels/step/control.h"

namespace firn {

// pressure[slot] in Pa: that of the particle's cell, continued by its gradient there, so that a
// hydrostatic pressure is exact up to walls and, with a ghost fluid, to the surface; 0 in cells
// that the projection does not solve. Between a projection and what puts another solution in the
// place of mac.pressure, with the particles where they were scattered from. Unless `every_step`,
// only in the last step before a target: others are seen by nobody.
template <class Exec, int D, class Real>
void particle_pressure(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
                       const MacView<Real>& mac, Real* pressure, bool every_step,
                       std::uint32_t max_blocks, const StepControl* control);

}  // namespace firn
