// Sums in packs against sums one by one.
#include "src/surface/near_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace firn {
namespace {

constexpr float kReach = 0.3f;
constexpr unsigned kSeed = 7;

std::vector<SurfacePoint> strewn(std::size_t count, float half_side) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<float> place(-half_side, half_side);
  std::vector<SurfacePoint> points(count);
  for (SurfacePoint& p : points) p = {place(random), place(random), place(random)};
  return points;
}

float weight(float square) {
  const float t = std::max(0.0f, 1 - square / (kReach * kReach));
  return t * t * t;
}

class PackedVoxels : public testing::TestWithParam<int> {};

TEST_P(PackedVoxels, AreEachOnceInTheirOrder) {
  std::vector<std::uint32_t> order = VoxelSums::compact_order(GetParam());
  std::sort(order.begin(), order.end());
  ASSERT_EQ(order.size(), static_cast<std::size_t>(std::pow(GetParam(), 3)));
  for (std::uint32_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
}

TEST_P(PackedVoxels, SumAsOneByOne) {
  const int n = GetParam() * GetParam() * GetParam();
  std::vector<float> x, y, z;
  for (int i = 0; i < n; ++i) {
    const auto at = [&](int k) {
      return kReach * ((static_cast<float>(k) + 0.5f) / static_cast<float>(GetParam()) - 0.5f);
    };
    x.push_back(at(i / GetParam() / GetParam()));
    y.push_back(at(i / GetParam() % GetParam()));
    z.push_back(at(i % GetParam()));
  }
  const std::vector<std::uint32_t> order = VoxelSums::compact_order(GetParam());
  const std::vector<SurfacePoint> points = strewn(500, 1.5f * kReach);
  VoxelSums sums(order, x.data(), y.data(), z.data(), kReach);
  sums.add(std::span(points).first(123));  // and those that come later
  sums.add(std::span(points).subspan(123));
  using Lanes = VoxelSums::Lanes;
  std::vector<float> weights(x.size()), lengths(x.size()), nearest(x.size());
  sums.take(weights, [](const Lanes& w, const Lanes&, const Lanes&) { return w; });
  sums.take(lengths, [](const Lanes&, const Lanes& l, const Lanes&) { return l; });
  sums.take(nearest, [](const Lanes&, const Lanes&, const Lanes& d) { return d; });
  for (std::size_t i = 0; i < x.size(); ++i) {
    double sum = 0, mean[3] = {}, least = kReach * kReach;
    for (const SurfacePoint& p : points) {
      const float a = x[i] - p.x, b = y[i] - p.y, c = z[i] - p.z, square = a * a + b * b + c * c;
      const float w = weight(square);
      least = std::min(least, double{square});
      sum += w;
      mean[0] += w * a, mean[1] += w * b, mean[2] += w * c;
    }
    const double bound = 500 * double{std::numeric_limits<float>::epsilon()} * (sum + 1);
    EXPECT_NEAR(weights[i], sum, bound);
    EXPECT_NEAR(lengths[i], std::hypot(mean[0], mean[1], mean[2]), bound * kReach);
    EXPECT_NEAR(nearest[i], std::sqrt(least), 1e-3 * kReach);
  }
}

INSTANTIATE_TEST_SUITE_P(Sides, PackedVoxels, testing::Values(1, 2, 5, 7));

TEST(NearMeans, AreAsOneByOne) {
  const std::vector<SurfacePoint> points = strewn(2000, 0.5f);
  std::vector<float> positions;
  for (const SurfacePoint& p : points) positions.insert(positions.end(), {p.x, p.y, p.z});
  const CellLists<3> cells(Lattice<3>(kReach, Vec3{}), positions);
  std::vector<SurfacePoint> sorted;
  for (const std::uint32_t p : cells.order()) sorted.push_back(points[p]);
  const auto value = [&](std::size_t i, int c) {
    return sorted[i].x * static_cast<float>(c + 1) + sorted[i].y;
  };
  constexpr int kComponents = 5;  // more than are summed at once
  const NearMeans means(cells, sorted, kReach, kComponents, value);
  for (const SurfacePoint& at : strewn(50, 0.5f)) {
    float own[kComponents];
    means.at({at.x, at.y, at.z}, own);
    double all = 0, sums[kComponents] = {};
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const SurfacePoint& p = sorted[i];
      const double w = weight((at.x - p.x) * (at.x - p.x) + (at.y - p.y) * (at.y - p.y) +
                              (at.z - p.z) * (at.z - p.z));
      all += w;
      for (int c = 0; c < kComponents; ++c) sums[c] += w * value(i, c);
    }
    for (int c = 0; c < kComponents; ++c)
      EXPECT_NEAR(own[c], sums[c] / all, 2000 * double{std::numeric_limits<float>::epsilon()} * 3);
  }
  float nowhere[kComponents];
  means.at({9, 9, 9}, nowhere);
  for (const float mean : nowhere) EXPECT_EQ(mean, 0);
}

}  // namespace
}  // namespace firn
