// Sums over the particles about a place, weighted by (1 - d^2 / reach^2)^3, in SIMD packs: about
// the voxels of a cell, packs of voxels that lie side by side, to each of which few of the
// particles about the cell are near; about one place, packs of particles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/math/pack.h"
#include "src/analysis/cell_lists.h"
#include "src/surface/ellipsoids.h"

namespace firn {

// 0, 1, 2, ...: of a pack that reaches beyond the last value those count that are below its number.
inline Pack<float> lane_numbers() {
  return Pack<float>([](auto i) { return static_cast<float>(i); });
}

// Of the voxels of one cell.
class VoxelSums {
 public:
  using Lanes = Pack<float>;
  static constexpr std::size_t kLanes = Lanes::size();

  // An order of the voxels of a cell, `along` of them along each side and the last axis fastest,
  // in which each pack of kLanes is compact.
  static std::vector<std::uint32_t> compact_order(int along);

  // Nothing yet. `x`, `y`, `z` of the voxels; `order`, which must outlive it, as compact_order.
  VoxelSums(std::span<const std::uint32_t> order, const float* x, const float* y, const float* z,
            float reach);

  void add(std::span<const SurfacePoint> points);

  // values[voxel] = f(sum of weights, length of the weighted sum of differences, distance of the
  // nearest point or the reach), on Lanes.
  template <class F>
  void take(std::span<float> values, F&& f) const {
    for (std::size_t p = 0; p < packs_.size(); ++p) {
      const Places& at = packs_[p];
      const Lanes value =
          f(at.weight, sqrt(at.x * at.x + at.y * at.y + at.z * at.z), sqrt(at.nearest));
      for (std::size_t i = 0; i < kLanes && p * kLanes + i < order_.size(); ++i)
        values[order_[p * kLanes + i]] = value[i];
    }
  }

 private:
  struct Places {
    Lanes at[3];
    Lanes weight, x, y, z, nearest;  // nearest: squared
  };

  std::span<const std::uint32_t> order_;
  float reach_;
  std::vector<Places> packs_;
  std::array<std::vector<float>, 3> low_, high_;  // of the packs
};

// The place, in the order of the cells, of the point that is nearest to x among those in the cells
// about it; KeyTable::kNone where these are empty.
std::uint32_t nearest_point(const CellLists<3>& cells, const std::vector<SurfacePoint>& points,
                            const std::array<float, 3>& x);

// Of values that particles have, their weighted means about any place.
class NearMeans {
 public:
  using Lanes = Pack<float>;
  static constexpr std::size_t kLanes = Lanes::size();

  // `points` in the order of the cells, whose side is `reach`; `value(place in that order,
  // component)`. The cells must outlive it.
  template <class F>
  NearMeans(const CellLists<3>& cells, const std::vector<SurfacePoint>& points, float reach,
            int components, F&& value)
      : cells_(cells), reach_(reach), count_(points.size()), components_(components) {
    // Packs reach beyond the last.
    values_.resize((3 + static_cast<std::size_t>(components)) * stride());
    parallel_for(count_, 0, [&](std::size_t i) {
      const float x[] = {points[i].x, points[i].y, points[i].z};
      for (std::size_t a = 0; a < 3; ++a) values_[a * stride() + i] = x[a];
      for (int c = 0; c < components; ++c)
        values_[(3 + static_cast<std::size_t>(c)) * stride() + i] = value(i, c);
    });
  }

  // Zeros where no particle is.
  void at(const std::array<float, 3>& x, float* means) const;

 private:
  std::size_t stride() const { return count_ + kLanes; }
  Lanes values(std::size_t row, std::size_t i) const {
    return Lanes(&values_[row * stride() + i], stdx::element_aligned);
  }

  const CellLists<3>& cells_;
  float reach_;
  std::size_t count_;
  int components_;
  std::vector<float> values_;  // x, y, z and the components, each of all points
};

}  // namespace firn
