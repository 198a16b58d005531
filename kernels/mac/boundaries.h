// What boundaries (walls and bodies) and liquid do to each other beyond the pressure equation:
// velocities inside them, which particles beside them read, and the forces of the pressure on
// bodies.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/mac/face_layers.h"
#include "kernels/step/control.h"

namespace firn {

// Closed faces of bodies that slip obliquely are no longer valid: apply_pressure gave them the
// body's velocity along their axis, but that also holds up liquid that moves along the body. They
// are to be continued from the liquid and then constrained. Faces along whose axis the body's
// normal lies keep what they have, as do those of sticky bodies and of the domain's walls.
template <class Exec, int D, class Real>
void release_sliding_faces(Exec& exec, const GridUpdateParams<Real, D>& params,
                           const GridView<Real>& grid, const MacView<Real>& mac,
                           std::uint32_t max_blocks, const StepControl* control);

// On closed faces: the boundary's velocity (sticky), or the extrapolated one without its normal
// part relative to the boundary (separate: only the part into it, unless liquid lies against the
// face). In blocks that a boundary may touch it goes to kFaceBoundaryVelocity of every face that is
// valid or read, since neighbours still read kFaceVelocity, and complete_faces takes it from there;
// of the others no velocity changes, and their increments are completed.
template <class Exec, int D, class Real>
void constrain_faces(Exec& exec, const GridUpdateParams<Real, D>& params,
                     const GridView<Real>& grid, const MacView<Real>& mac, std::uint32_t max_blocks,
                     const StepControl* control);

// Impulse, angular impulse and work of the particles' stress on each body in this step, per block,
// in params.reactions as grid_update leaves them: what mac_p2g and transpose_faces have brought to
// faces that are closed or cling, and the momentum of these, which clinging_reactions, with the
// masses that `clinging` keeps meanwhile (a channel of faces; null if none cling), takes off again
// once they have their velocities. Takes their areas.
template <class Exec, int D, class Real>
void stress_reactions(Exec& exec, const GridUpdateParams<Real, D>& params,
                      const GridView<Real>& grid, const MacView<Real>& mac, Real* clinging,
                      std::uint32_t max_blocks, const StepControl* control);
template <class Exec, int D, class Real>
void clinging_reactions(Exec& exec, const GridUpdateParams<Real, D>& params,
                        const GridView<Real>& grid, const MacView<Real>& mac, const Real* clinging,
                        std::uint32_t max_blocks, const StepControl* control);

// The same of the pressure of this step, onto what is there or alone. Takes the pressure and the
// areas of the last solve.
template <class Exec, int D, class Real>
void pressure_reactions(Exec& exec, const GridUpdateParams<Real, D>& params,
                        const GridView<Real>& grid, const MacView<Real>& mac, bool onto,
                        std::uint32_t max_blocks, const StepControl* control);

}  // namespace firn
