#include "src/surface/near_sums.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace firn {
namespace {

using Voxels = std::span<std::uint32_t>;

// Halves at a whole number of packs, across the longest side, until one pack is left.
void make_compact(Voxels voxels, int along, std::size_t pack) {
  if (voxels.size() <= pack) return;
  const auto side = static_cast<std::uint32_t>(along);
  const auto coordinate = [&](std::uint32_t voxel, int axis) {
    return axis == 0 ? voxel / (side * side) : axis == 1 ? voxel / side % side : voxel % side;
  };
  std::uint32_t longest = 0;
  int across = 0;
  for (int axis = 0; axis < 3; ++axis) {
    std::uint32_t low = side, high = 0;
    for (const std::uint32_t voxel : voxels) {
      low = std::min(low, coordinate(voxel, axis));
      high = std::max(high, coordinate(voxel, axis));
    }
    if (high - low + 1 > longest) longest = high - low + 1, across = axis;
  }
  std::stable_sort(voxels.begin(), voxels.end(), [&](std::uint32_t a, std::uint32_t b) {
    return coordinate(a, across) < coordinate(b, across);
  });
  const std::size_t packs = (voxels.size() + pack - 1) / pack;
  const std::size_t half = (packs + 1) / 2 * pack;
  make_compact(voxels.first(half), along, pack);
  make_compact(voxels.subspan(half), along, pack);
}

}  // namespace

std::vector<std::uint32_t> VoxelSums::compact_order(int along) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(along) * along * along);
  std::iota(order.begin(), order.end(), 0u);
  make_compact(order, along, kLanes);
  return order;
}

VoxelSums::VoxelSums(std::span<const std::uint32_t> order, const float* x, const float* y,
                     const float* z, float reach)
    : order_(order), reach_(reach), packs_((order.size() + kLanes - 1) / kLanes) {
  const float* const from[] = {x, y, z};
  for (std::size_t a = 0; a < 3; ++a) {
    low_[a].resize(packs_.size());
    high_[a].resize(packs_.size());
  }
  for (std::size_t p = 0; p < packs_.size(); ++p) {
    Places& places = packs_[p];
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t i = 0; i < kLanes; ++i)
        places.at[a][i] = from[a][order[std::min(p * kLanes + i, order.size() - 1)]];
      low_[a][p] = stdx::hmin(places.at[a]);
      high_[a][p] = stdx::hmax(places.at[a]);
    }
    places.weight = places.x = places.y = places.z = 0.0f;
    places.nearest = reach * reach;
  }
}

void VoxelSums::add(std::span<const SurfacePoint> points) {
  const std::size_t packs = packs_.size();
  const float most = reach_ * reach_;
  std::vector<std::uint32_t> near(packs * points.size());  // of each pack
  std::vector<std::uint32_t> counts(packs);
  std::vector<float> squares(packs);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const float x[] = {points[k].x, points[k].y, points[k].z};
    for (std::size_t p = 0; p < packs; ++p) {
      float square = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        const float beside = std::max(std::max(low_[a][p] - x[a], x[a] - high_[a][p]), 0.0f);
        square += beside * beside;
      }
      squares[p] = square;
    }
    for (std::size_t p = 0; p < packs; ++p) {
      near[p * points.size() + counts[p]] = static_cast<std::uint32_t>(k);
      counts[p] += squares[p] < most ? 1 : 0;
    }
  }
  const Lanes scale(1 / most), zero(0.0f), one(1.0f);
  for (std::size_t p = 0; p < packs; ++p) {
    Places sums = packs_[p];
    for (std::size_t n = 0; n < counts[p]; ++n) {
      const SurfacePoint& point = points[near[p * points.size() + n]];
      const Lanes a = sums.at[0] - Lanes(point.x), b = sums.at[1] - Lanes(point.y),
                  c = sums.at[2] - Lanes(point.z);
      const Lanes square = a * a + b * b + c * c;
      const Lanes t = max(zero, one - square * scale);
      const Lanes w = t * t * t;
      sums.nearest = min(sums.nearest, square);
      sums.weight += w;
      sums.x += w * a;
      sums.y += w * b;
      sums.z += w * c;
    }
    packs_[p] = sums;
  }
}

std::uint32_t nearest_point(const CellLists<3>& cells, const std::vector<SurfacePoint>& points,
                            const std::array<float, 3>& x) {
  const std::uint32_t node = cells.node_near({{x[0], x[1], x[2]}});
  std::uint32_t nearest = KeyTable::kNone;
  if (node == KeyTable::kNone) return nearest;
  float least = std::numeric_limits<float>::infinity();
  for (const std::uint32_t cell : cells.around(node)) {
    if (cell == KeyTable::kNone) continue;
    for (std::uint32_t i = cells.begin(cell); i < cells.end(cell); ++i) {
      const float a = x[0] - points[i].x, b = x[1] - points[i].y, c = x[2] - points[i].z;
      const float square = a * a + b * b + c * c;
      if (square < least) least = square, nearest = i;
    }
  }
  return nearest;
}

void NearMeans::at(const std::array<float, 3>& x, float* means) const {
  constexpr int kAtOnce = 3;
  constexpr auto kCells = static_cast<int>(CellLists<3>::kStencil);
  const std::uint32_t node = cells_.node_near({{x[0], x[1], x[2]}});
  std::fill_n(means, components_, 0.0f);
  if (node == KeyTable::kNone) return;
  const auto around = cells_.around(node);
  const Lanes places = lane_numbers(), scale(1 / (reach_ * reach_)), zero(0.0f), one(1.0f);
  for (int first = 0; first < components_; first += kAtOnce) {
    const int some = std::min(kAtOnce, components_ - first);
    Lanes weight(0.0f), sums[kAtOnce] = {zero, zero, zero};
    for (int cell = 0; cell < kCells; ++cell) {
      if (around[cell] == KeyTable::kNone) continue;
      const std::size_t end = cells_.end(around[cell]);
      for (std::size_t i = cells_.begin(around[cell]); i < end; i += kLanes) {
        const Lanes a = Lanes(x[0]) - values(0, i), b = Lanes(x[1]) - values(1, i),
                    c = Lanes(x[2]) - values(2, i);
        const Lanes t = max(zero, one - (a * a + b * b + c * c) * scale);
        const Lanes w = select(places < Lanes(static_cast<float>(end - i)), t * t * t, zero);
        weight += w;
        for (int component = 0; component < some; ++component)
          sums[component] += w * values(3 + static_cast<std::size_t>(first + component), i);
      }
    }
    const float all = stdx::reduce(weight);
    for (int component = 0; component < some; ++component)
      if (all > 0) means[first + component] = stdx::reduce(sums[component]) / all;
  }
}

}  // namespace firn
