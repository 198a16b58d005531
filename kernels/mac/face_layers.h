// Which faces keep their own velocity, and how those beyond follow them (extrapolation.h).
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/mac/mac_grid.h"
#include "kernels/step/control.h"

namespace firn {

// Whether a sticky boundary holds what moves past a face, behind it or less than half a cell before
// it. With u_b its velocity, u - u_b = mirrored (u_n - u_b), u_n the mean of the faces beside it
// that keep their own: what is linear is 0 at the boundary. 0 beside none of them; 1 farther
// behind, where faces go on along lines. Known of the faces of FaceLayers, and of those left out of
// them.
template <class Real>
inline constexpr Real kUnbound = kLargest<Real>;
template <class Real>
FIRN_HD inline bool clings(const MacView<Real>& mac, std::uint32_t block, std::uint64_t face) {
  return mac.mirrored != nullptr && has_boundary(mac, block) &&
         mac.mirrored[face] != kUnbound<Real>;
}

// The faces that keep their own velocity, and step by step those beyond, as masks [block][axis][2].
// Of each face beyond: how many of its neighbours belong to the layer within, and how many of these
// have one behind them.
struct FaceLayers {
  static constexpr int kMax = 7;  // of cubic kernels at a ghost fluid's surface among bodies in 3D
  static constexpr int kHeirWords = 12;
  std::uint32_t* masks = nullptr;  // kMax + 1 of them
  std::uint64_t words = 0;         // of one
  int count = 0;
  std::uint32_t* heirs = nullptr;  // [block][axis][2 numbers][3 bits of them][2]
  FIRN_HD std::uint32_t* mask(int layer) const { return masks + layer * words; }
};

// Between the passes of prepare_faces, with the cells known. Faces that a sticky boundary holds
// belong to no layer, but for those that cling.
template <class Exec, int D, class Real>
void find_layers(Exec& exec, const GridUpdateParams<Real, D>& params, const FaceLayers& layers,
                 const GridView<Real>& grid, const MacView<Real>& mac, const LaunchRange& blocks);

}  // namespace firn
