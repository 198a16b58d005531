// Faces beyond the liquid. Particles near a surface also lie on faces that no fluid cell touches;
// those have no velocity of their own but one continued from the faces within (extrapolate_faces, a
// linear map E), and material that resists shear feels the strain of that. The forces that go with
// it are E^T times those of the outer faces: with them, as with the outer faces' mass and momentum,
// work done by stress is what elastic energy loses. Dropped instead, a block of foam shakes itself
// to pieces.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/fluid/mac_grid.h"
#include "kernels/step/control.h"

namespace firn {

// The faces that keep their own velocity, and step by step those beyond, as masks [block][axis][2].
struct FaceLayers {
  static constexpr int kMax = 6;   // enough for cubic kernels among bodies in 3D
  std::uint32_t* masks = nullptr;  // kMax + 1 of them
  std::uint64_t words = 0;         // of one
  int count = 0;
  FIRN_HD std::uint32_t* mask(int layer) const { return masks + layer * words; }
};

// Between the passes of prepare_faces, with the cells known. Faces that a sticky solid holds belong
// to no layer.
template <class Exec, int D, class Real>
void find_layers(Exec& exec, const GridUpdateParams<Real, D>& params, const FaceLayers& layers,
                 const GridView<Real>& grid, const MacView<Real>& mac, const LaunchRange& blocks);

// x_own += E^T x_outer, of what the particles have given to the faces, or of a channel of faces,
// [block][axis][64]. What outer layers hold means nothing afterwards.
template <class Exec, int D, class Real>
void fold_faces(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                const LaunchRange& blocks);
template <class Exec, int D, class Real>
void fold_channel(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac, Real* channel,
                  const LaunchRange& blocks);

// x_outer = E x_own.
template <class Exec, int D, class Real>
void extend_channel(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac, Real* channel,
                    const LaunchRange& blocks);

template <class Exec, int D, class Real>
void extend_slopes(Exec& exec, const FaceLayers& layers, const MacView<Real>& mac,
                   const LaunchRange& blocks);

}  // namespace firn
