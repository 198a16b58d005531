// The signed distance of ground given as heights over a grid: a profile y = h(x) in 2D, a surface
// y = h(x, z) in 3D, linear or bilinear between samples. Beyond the grid the heights of its edge
// continue. Of gentle ground the distance is (y - h) / sqrt(1 + s^2) with s the steepest slope
// anywhere, which is continuous, exact in sign and zero in the same place as y - h, and never more
// than the true distance. Within the wall of a cliff that would be the way up to the top, so steep
// ground has distances sampled near its surface (src/scene/height_band.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/collide/deforming_sdf.h"
#include "kernels/math/vec.h"

namespace firn {

// What stands at SdfInstruction::mesh_offset: this, then columns * rows heights, x running fastest.
struct alignas(32) HeightFieldHeader {
  std::int32_t columns = 0, rows = 0;  // at least 2 columns; 1 row in 2D, else at least 2
  std::int64_t band = 0;  // bytes from here to a DeformingHeader of one key; 0: gentle ground
};

namespace sdf {

// The cell that holds `t` (in samples, clamped to the grid; not a number counts as 0) and the place
// in it.
template <class Real>
struct HeightCell {
  std::int32_t index;
  Real fraction;
};
template <class Real>
FIRN_HD inline HeightCell<Real> height_cell(Real t, std::int32_t samples) {
  t = t > Real(0) ? min(t, static_cast<Real>(samples - 1)) : Real(0);
  const std::int32_t last = samples - 2, at = static_cast<std::int32_t>(t);
  const std::int32_t index = at < last ? at : last;
  return {index, t - static_cast<Real>(index)};
}

template <class Real>
FIRN_HD inline Real height_along_row(const float* row, const HeightCell<Real>& at) {
  const Real a = static_cast<Real>(row[at.index]), b = static_cast<Real>(row[at.index + 1]);
  return a + (b - a) * at.fraction;
}

// Height at (x, z), both counted in samples from the grid's first.
template <int D, class Real>
FIRN_HD inline Real height_at(const HeightFieldHeader& header, Real x, [[maybe_unused]] Real z) {
  const float* heights = reinterpret_cast<const float*>(&header + 1);
  const HeightCell<Real> column = height_cell(x, header.columns);
  if constexpr (D == 2) {
    return height_along_row(heights, column);
  } else {
    const HeightCell<Real> row = height_cell(z, header.rows);
    const float* front = heights + static_cast<std::int64_t>(row.index) * header.columns;
    const Real a = height_along_row(front, column);
    return a + (height_along_row(front + header.columns, column) - a) * row.fraction;
  }
}

// Of the surface alone. Where the samples say no more than "far" the bound by the slope may be
// more.
template <int D, class Real>
FIRN_HD inline Real height_surface(const Vec<Real, 3>& p, const Real* a, const std::byte* bytes) {
  const HeightFieldHeader& header = *reinterpret_cast<const HeightFieldHeader*>(bytes);
  Real sampled = 0, far = 0;
  if (header.band != 0) {
    const std::byte* band = bytes + header.band;
    const Real per_metre = Real(1) / a[5];
    sampled =
        a[5] * deforming_distance(band, Vec<Real, 3>{{p[0] * per_metre, (p[1] - a[6]) * per_metre,
                                                      p[2] * per_metre}});
    far = a[5] * static_cast<Real>(reinterpret_cast<const DeformingHeader*>(band)->band);
    if (abs(sampled) < far) return sampled;
  }
  const Real height = a[2] * height_at<D, Real>(header, p[0] / a[0], p[2] / a[1]);
  const Real bound = (p[1] - height) * a[3];
  if (header.band == 0) return bound;
  return sampled < Real(0) ? min(sampled, bound) : max(sampled, bound);
}

// Parameters: sample spacing along x and z; factor from stored heights to metres;
// 1 / sqrt(1 + s^2); depth of the underside below the origin, or negative for ground without end,
// which nothing cuts off; of steep ground the width of a voxel, m, and the y of its lowest sample.
template <int D, class Real>
FIRN_HD inline Real height_field(const Vec<Real, 3>& p, const Real* a, const std::byte* bytes) {
  const HeightFieldHeader& header = *reinterpret_cast<const HeightFieldHeader*>(bytes);
  Real d = height_surface<D>(p, a, bytes);
  if (a[4] < Real(0)) return d;
  d = max(d, -a[4] - p[1]);
  d = max(d, max(-p[0], p[0] - a[0] * static_cast<Real>(header.columns - 1)));
  if constexpr (D == 3) d = max(d, max(-p[2], p[2] - a[1] * static_cast<Real>(header.rows - 1)));
  return d;
}

}  // namespace sdf
}  // namespace firn
