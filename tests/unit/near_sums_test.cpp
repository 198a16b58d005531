// Sums in packs against sums one by one.
#include "src/surface/near_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "src/surface/near_fits.h"

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

struct SortedPoints {
  explicit SortedPoints(const std::vector<SurfacePoint>& points)
      : cells(Lattice<3>(kReach, Vec3{}), flat(points)) {
    for (const std::uint32_t p : cells.order()) sorted.push_back(points[p]);
  }
  static std::vector<float> flat(const std::vector<SurfacePoint>& points) {
    std::vector<float> positions;
    for (const SurfacePoint& p : points) positions.insert(positions.end(), {p.x, p.y, p.z});
    return positions;
  }
  CellLists<3> cells;
  std::vector<SurfacePoint> sorted;
};

float one(std::size_t) { return 1; }

// Also beyond all points, by a sixth of the reach: half a spacing of a surface's particles. What
// the least spread of 3e-4 reach^2 leaves out is a hundredth of the way there, which has 1.5 /
// reach of slope.
TEST(NearFits, AreLinearFunctionsBesideTheirPoints) {
  const SortedPoints points(strewn(4000, 0.5f));
  const auto linear = [](const SurfacePoint& p, int c) {
    return static_cast<float>(c) + (c == 0 ? 5 * p.y : c == 1 ? 4 * p.z - 3 * p.x : 2 * p.x);
  };
  const NearFits fits(points.cells, points.sorted, kReach, one,
                      [&](std::size_t i, int c) { return linear(points.sorted[i], c); });
  for (const float beside : {0.0f, kReach / 6})
    for (const SurfacePoint& at : strewn(50, 0.3f)) {
      const SurfacePoint place{0.5f + beside, at.y, at.z};
      const auto found = fits.at({place.x, place.y, place.z});
      for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(found[static_cast<std::size_t>(c)], linear(place, c), 0.015 * 5 * kReach / 3);
    }
  EXPECT_EQ(fits.at({9, 9, 9}), (std::array<float, 3>{}));
}

// Nothing is carried outwards from a sheet without thickness, nor from one point.
TEST(NearFits, OfThinThingsAreMeans) {
  std::vector<SurfacePoint> sheet = strewn(2000, 0.5f);
  for (SurfacePoint& p : sheet) p.z = 0;
  const SortedPoints points(sheet), lone({{0, 0, 0}});
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<float> noise(-1, 1);
  std::vector<float> values(3 * points.sorted.size());
  for (float& v : values) v = noise(random);
  const NearFits fits(points.cells, points.sorted, kReach, one, [&](std::size_t i, int c) {
    return values[3 * i + static_cast<std::size_t>(c)];
  });
  const auto on = fits.at({0, 0, 0}), above = fits.at({0, 0, 0.2f * kReach});
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_LT(std::abs(on[c]), 0.5f);
    EXPECT_LT(std::abs(above[c] - on[c]), 0.05f);  // the weights differ a little
  }
  const NearFits one_point(lone.cells, lone.sorted, kReach, one,
                           [](std::size_t, int c) { return static_cast<float>(c + 1); });
  const auto beside = one_point.at({0.1f, 0.1f, 0});
  // Rounding of a product with v at d, over the least spread, times d.
  constexpr double kBound =
      double{std::numeric_limits<float>::epsilon()} * 3 * 0.02 / (3e-4 * kReach * kReach);
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(beside[c], static_cast<float>(c + 1), kBound);
}

TEST(NearFits, LeaveOutWhatHasNoWeight) {
  const SortedPoints points(strewn(2000, 0.5f));
  const auto is_left = [&](std::size_t i) { return points.sorted[i].x < 0; };
  const NearFits fits(
      points.cells, points.sorted, kReach, [&](std::size_t i) { return is_left(i) ? 1.0f : 0.0f; },
      [&](std::size_t i, int) { return is_left(i) ? 1.0f : 100.0f; });
  for (const float found : fits.at({0, 0, 0})) EXPECT_NEAR(found, 1, 1e-5);
}

TEST(NearestPoint, IsTheNearest) {
  const SortedPoints points(strewn(2000, 0.5f));
  for (const SurfacePoint& at : strewn(50, 0.5f)) {
    const auto square = [&](const SurfacePoint& p) {
      return (at.x - p.x) * (at.x - p.x) + (at.y - p.y) * (at.y - p.y) +
             (at.z - p.z) * (at.z - p.z);
    };
    const std::uint32_t found = nearest_point(points.cells, points.sorted, {at.x, at.y, at.z});
    ASSERT_LT(found, points.sorted.size());
    for (const SurfacePoint& p : points.sorted)
      ASSERT_GE(square(p), square(points.sorted[found]) * (1 - 1e-5f));
  }
  EXPECT_EQ(nearest_point(points.cells, points.sorted, {9, 9, 9}), KeyTable::kNone);
}

}  // namespace
}  // namespace firn
