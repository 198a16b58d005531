// Momentum of faces beyond the liquid. Particles near a surface also lie on faces that no fluid
// cell touches; those have no velocity of their own but one continued from the faces within
// (extrapolate_faces, a linear map E), and material that resists shear feels the strain of that.
// The forces that go with it are E^T times those of the outer faces: with them, as with the outer
// faces' mass and momentum, work done by stress is what elastic energy loses. Dropped instead, a
// block of foam shakes itself to pieces.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fluid/mac_grid.h"
#include "kernels/step/control.h"

namespace firn {

// Enough for cubic kernels among bodies in 3D.
inline constexpr int kMaxFoldedLayers = 6;

// Between the passes of prepare_faces, with the cells known: hands what the
// particles have given to faces up to `layers` steps from a fluid cell's to those that their
// velocity will come from. Faces that a sticky solid holds keep theirs. `masks`: kMaxFoldedLayers +
// 1 times [block][axis][2].
template <class Exec, int D, class Real>
void fold_faces(Exec& exec, const GridUpdateParams<Real, D>& params, int layers,
                std::uint32_t* masks, const GridView<Real>& grid, const MacView<Real>& mac,
                std::uint32_t max_blocks, const StepControl* control);

}  // namespace firn
