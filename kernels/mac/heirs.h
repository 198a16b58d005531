// How faces beyond the liquid follow those of the layer within, see FaceLayers.
#pragma once

#include "kernels/mac/face_layers.h"
#include "kernels/mac/mac_grid.h"

namespace firn {

// Numbers below 8 of 64 faces as planes of bits.
struct CountPlanes {
  static constexpr int kPlanes = 3;
  std::uint64_t plane[kPlanes] = {};
  FIRN_HD void add(std::uint64_t ones) {
    const std::uint64_t twos = plane[0] & ones, fours = plane[1] & twos;
    plane[0] ^= ones;
    plane[1] ^= twos;
    plane[2] ^= fours;
  }
};

// How a face of the outer layer follows the inner one: as the mean of its neighbours there, or,
// along straight lines, of 2 x_at - x_behind over those that have one behind them. Inside bodies
// there are no lines: velocities there are those that the body allows.
template <class Real>
struct Heirs {
  int count = 0, lines = 0;
  FIRN_HD Real mean() const { return Real(1) / static_cast<Real>(count); }
  FIRN_HD Real near(bool has_behind) const {
    if (lines == 0) return mean();
    return has_behind ? Real(2) / static_cast<Real>(lines) : Real(0);
  }
  FIRN_HD Real far() const { return lines == 0 ? Real(0) : Real(-1) / static_cast<Real>(lines); }
};
// As find_layers has counted them.
template <int D, class Real>
FIRN_HD inline Heirs<Real> heirs_of(const FaceLayers& layers, const CellAddress& of, int axis) {
  const std::uint32_t* planes =
      layers.heirs +
      (std::uint64_t{of.block} * D + static_cast<std::uint64_t>(axis)) * FaceLayers::kHeirWords +
      (of.cell >> 5);
  const std::uint32_t bit = of.cell & 31u;
  const auto number = [&](int first) {
    int n = 0;
    for (int p = 0; p < CountPlanes::kPlanes; ++p)
      n |= static_cast<int>(planes[2 * (first + p)] >> bit & 1u) << p;
    return n;
  };
  return {number(0), number(CountPlanes::kPlanes)};
}

}  // namespace firn
