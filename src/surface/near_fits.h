// What vectors that particles have come to at a place beside these: first-order moving least
// squares, the linear function that is nearest to the values of the particles about the place,
// weighted as in near_sums.h. Vertices of a surface lie beyond all of its particles, where a mean
// is that of a place some 0.6 spacings within: 0.9 of a small body's spin.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/math/pack.h"
#include "src/analysis/cell_lists.h"
#include "src/surface/ellipsoids.h"

namespace firn {

class NearFits {
 public:
  using Lanes = Pack<float>;
  static constexpr std::size_t kLanes = Lanes::size();

  // `points` in the order of the cells, whose side is `reach`; `weight(place in that order)`, over
  // that by distance, and `value(place, component)`. The cells must outlive it.
  template <class W, class F>
  NearFits(const CellLists<3>& cells, const std::vector<SurfacePoint>& points, float reach,
           W&& weight, F&& value)
      : cells_(cells), reach_(reach), count_(points.size()), rows_(kRows * stride()) {
    parallel_for(count_, 0, [&](std::size_t i) {
      const float own[] = {points[i].x, points[i].y, points[i].z, weight(i),
                           value(i, 0), value(i, 1), value(i, 2)};
      for (std::size_t row = 0; row < kRows; ++row) rows_[row * stride() + i] = own[row];
    });
  }

  // Zeros where no particle is.
  std::array<float, 3> at(const std::array<float, 3>& x) const;

 private:
  static constexpr std::size_t kRows = 7;
  struct Sums;

  std::size_t stride() const { return count_ + kLanes; }  // packs reach beyond the last
  Lanes row(std::size_t row, std::size_t i) const {
    return Lanes(&rows_[row * stride() + i], stdx::element_aligned);
  }
  void add(std::size_t begin, std::size_t end, const std::array<float, 3>& x, Sums& sums) const;

  const CellLists<3>& cells_;
  float reach_;
  std::size_t count_;
  std::vector<float> rows_;  // x, y, z, weight and the vector, each of all points
};

}  // namespace firn
