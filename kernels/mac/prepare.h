// From particles' momenta on faces to what the projection starts from: cell classes, open areas of
// faces, velocities after body forces.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fields/particles.h"
#include "kernels/grid/pose_colliders.h"
#include "kernels/mac/mac_grid.h"
#include "kernels/step/control.h"
#include "kernels/transfer/transfer.h"

namespace firn {

// Finds the blocks around every block, and marks the cells that hold particles. One on the upper
// face of its bounds is in the cell before that: the next one, which begins there, is in the wall.
template <class Exec, int D, class Real>
void classify_cells(Exec& exec, const ParticleBounds<Real, D>& bounds,
                    const ParticleView<Real>& particles, const GridView<Real>& grid,
                    const MacView<Real>& mac, std::uint32_t max_blocks, const StepControl* control);

// Poses the colliders for this step, finds which blocks a boundary may touch, every face's open
// area, and which faces particles have given something to. With whole_cells (see MacView) the mass
// that a face has of its own takes the place of its volume.
template <class Exec, int D, class Real>
void measure_faces(Exec& exec, const GridUpdateParams<Real, D>& params, const BodyView& moved,
                   const GridView<Real>& grid, const MacView<Real>& mac, std::uint32_t max_blocks,
                   const StepControl* control);

// Momenta become velocities after body forces, on faces that have something or belong to fluid
// cells; which are valid where there is a mass. Before it, faces that will not keep their velocity
// hand on momentum and mass: see transpose_faces.
template <class Exec, int D, class Real>
void accelerate_faces(Exec& exec, const GridUpdateParams<Real, D>& params,
                      const GridView<Real>& grid, const MacView<Real>& mac,
                      std::uint32_t max_blocks, const StepControl* control);

}  // namespace firn
