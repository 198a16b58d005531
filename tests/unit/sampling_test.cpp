// Particles that fill a shape: their number, spacing, volume, and that they depend on nothing but
// the arguments.
#include "src/scene/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "firn/error.h"
#include "src/scene/blue_noise.h"

namespace firn {
namespace {

constexpr Sampling kAll[] = {Sampling::kUniform, Sampling::kRandom, Sampling::kPoisson};

CompiledShape ball(double radius, int dimension) {
  Shape s;
  s.center = {0.03, -0.02, dimension == 3 ? 0.07 : 0};
  s.radius = radius;
  return compile_shape(s, dimension, 1);
}
CompiledShape block(Vec3 max, int dimension) {
  Shape s;
  s.type = ShapeType::kBox;
  s.max = max;
  return compile_shape(s, dimension, 1);
}
double ball_volume(double r, int dimension) {
  return dimension == 3 ? 4.0 / 3 * std::numbers::pi * r * r * r : std::numbers::pi * r * r;
}

// The count of a random pattern in a ball varies with the surface it cuts: about half of
// sqrt(points at the surface).
TEST(Sampling, NumberDensityIsTheOneAskedFor) {
  for (int d : {2, 3})
    for (Sampling sampling : kAll)
      for (double per_cell : {1.0, 5.5, 8.0}) {
        const double radius = d == 3 ? 12 : 40;
        const CompiledShape shape = ball(radius, d);
        const Samples samples = sample_shape(shape, 1, per_cell, sampling, 3);
        const double expected = per_cell * ball_volume(radius, d);
        EXPECT_NEAR(static_cast<double>(samples.positions.size()), expected, 0.01 * expected)
            << d << " " << static_cast<int>(sampling) << " " << per_cell;
        for (const Vec3& x : samples.positions) ASSERT_LT(distance(shape, x), 0);
      }
}

TEST(Sampling, VolumeIsExactSoThatMassIs) {
  for (int d : {2, 3}) {
    // A ball of 10 cells across; every boundary cell is divided three times and cut by a plane.
    const Samples samples = sample_shape(ball(5, d), 1, 8, Sampling::kPoisson, 1);
    EXPECT_NEAR(samples.volume, ball_volume(5, d), 5e-4 * ball_volume(5, d));
    EXPECT_DOUBLE_EQ(samples.particle_volume() * static_cast<double>(samples.positions.size()),
                     samples.volume);
  }
  EXPECT_NEAR(shape_volume(block({3.3, 2.7, 1.9}, 3), 1), 3.3 * 2.7 * 1.9, 2e-3 * 3.3 * 2.7 * 1.9);
  // Much smaller than a cell, and between cell centres.
  EXPECT_NEAR(shape_volume(ball(0.4, 3), 1), ball_volume(0.4, 3), 0.02 * ball_volume(0.4, 3));
}

TEST(Sampling, UniformIsTheLatticeOfCellsWithHalfOffsets) {
  const Samples samples = sample_shape(block({2, 3, 1}, 3), 0.5, 8, Sampling::kUniform, 1);
  ASSERT_EQ(samples.positions.size(), 4u * 6 * 2 * 8);
  EXPECT_NEAR(samples.positions[0][0], 0.125, 2e-11);
  for (const Vec3& x : samples.positions)
    for (double c : x) EXPECT_NEAR(std::remainder(c - 0.125, 0.25), 0, 2e-11);
  // Its corners and edges are cut by cells that see them as planes.
  EXPECT_NEAR(samples.particle_volume(), 0.25 * 0.25 * 0.25, 1e-3 * 0.25 * 0.25 * 0.25);
  const Samples flat = sample_shape(block({2, 3, 0}, 2), 0.5, 4, Sampling::kUniform, 1);
  EXPECT_EQ(flat.positions.size(), 4u * 6 * 4);
  for (const Vec3& x : flat.positions) EXPECT_EQ(x[2], 0);
}

// A row on the face where two bodies meet belongs to one of them, whatever rounding says.
TEST(Sampling, UniformRowsOnAFaceAreInOneOfTwoBodies) {
  constexpr double kDx = 0.02;
  for (int k = 0; k < 99; ++k) {
    const double face = (k + 0.25) * kDx;
    Shape lower;
    lower.type = ShapeType::kBox;
    lower.max = {4 * kDx, face, 0};
    Shape upper = lower;
    upper.min = {0, face, 0}, upper.max = {4 * kDx, 200.25 * kDx, 0};
    std::size_t points = 0;
    for (const Shape& shape : {lower, upper})
      points += sample_shape(compile_shape(shape, 2, kDx), kDx, 4, Sampling::kUniform, 1)
                    .positions.size();
    Shape whole = upper;
    whole.min = {};
    EXPECT_EQ(
        points,
        sample_shape(compile_shape(whole, 2, kDx), kDx, 4, Sampling::kUniform, 1).positions.size())
        << face;
  }
}

TEST(Sampling, RandomPutsOnePointInEachCell) {
  const Samples samples = sample_shape(block({4, 4, 4}, 3), 1, 8, Sampling::kRandom, 5);
  std::vector<int> count(512);
  for (const Vec3& x : samples.positions)
    ++count[static_cast<int>(x[0] / 0.5) * 64 + static_cast<int>(x[1] / 0.5) * 8 +
            static_cast<int>(x[2] / 0.5)];
  for (int n : count) EXPECT_EQ(n, 1);
}

double least_distance(std::vector<Vec3> points) {
  std::sort(points.begin(), points.end());
  double least = 1e30;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size() && points[j][0] - points[i][0] < least; ++j)
      least = std::min(least, std::hypot(points[i][0] - points[j][0], points[i][1] - points[j][1],
                                         points[i][2] - points[j][2]));
  return least;
}

TEST(Sampling, PoissonPointsKeepTheirDistanceAcrossTiles) {
  for (int d : {2, 3}) {
    const double dx = 0.5, per_cell = 4;
    const double spacing = dx * std::pow(per_cell, -1.0 / d);
    const Vec3 size = d == 3 ? Vec3{9, 9, 9} : Vec3{40, 40, 0};  // more than a tile each way
    const Samples samples = sample_shape(block(size, d), dx, per_cell, Sampling::kPoisson, 11);
    EXPECT_GE(least_distance(samples.positions), 0.7 * spacing);
    const double volume = d == 3 ? 729 : 1600;
    const double expected = volume / std::pow(spacing, d);
    EXPECT_NEAR(static_cast<double>(samples.positions.size()), expected, 0.01 * expected);
  }
}

TEST(Sampling, SeedsRepeatAndDiffer) {
  const CompiledShape shape = ball(4, 3);
  for (Sampling sampling : {Sampling::kRandom, Sampling::kPoisson}) {
    const auto a = sample_shape(shape, 1, 8, sampling, 1).positions;
    EXPECT_EQ(a, sample_shape(shape, 1, 8, sampling, 1).positions);
    EXPECT_NE(a, sample_shape(shape, 1, 8, sampling, 2).positions);
  }
}

// The tile is the same on every machine: its points are made in integers, so a checksum must hold
// everywhere.
TEST(Sampling, TileIsTheSameEverywhere) {
  const std::uint64_t expected[] = {13311343476144809317u, 12738226740235204657u};
  for (int d : {2, 3}) {
    std::uint64_t hash = 0;
    for (const auto& p : blue_noise_tile(d).points)
      for (std::uint32_t c : p) hash = (hash ^ c) * 0x100000001b3u;
    EXPECT_EQ(hash, expected[d - 2]) << d;
  }
}

// Shapes whose distances are estimates or that leave most of their bounds empty.
std::vector<CompiledShape> awkward_shapes(int dimension) {
  const auto ball_at = [](Vec3 centre, double radius) {
    Shape s;
    s.center = centre;
    s.radius = radius;
    return s;
  };
  Shape needle, frame, ring, spread;
  needle.type = ShapeType::kEllipsoid;
  needle.radii = {30, 0.8, 4};
  Shape turned;
  turned.type = ShapeType::kTransform;
  turned.rotation = {0, 0, 0.7};
  turned.children = {needle};
  frame.type = ShapeType::kDifference;
  frame.children = {ball_at({}, 25), ball_at({1, 0, 0}, 23.7)};
  ring.type = ShapeType::kTorus;
  ring.radius = 22;
  ring.tube_radius = 1.3;
  spread.type = ShapeType::kUnion;
  for (int i = 0; i < 12; ++i)
    spread.children.push_back(ball_at({17.0 * (i % 4) - 30, 19.0 * (i / 4) - 20, 3.0 * i}, 1.7));
  std::vector<CompiledShape> shapes;
  for (const Shape& s : {needle, turned, frame, ring, spread})
    shapes.push_back(compile_shape(s, dimension, 1));
  return shapes;
}

// Against every point of the lattice within the bounds: the same ones, in the same order.
TEST(Sampling, LeavesOutNothingButEmptySpace) {
  for (const int d : {2, 3})
    for (const CompiledShape& shape : awkward_shapes(d)) {
      std::vector<Vec3> expected;
      const auto first = [&](int a) {
        return d > a ? std::floor(shape.min[a]) + 0.5 + (a + 1) * 0x1p-36 : 0.0;
      };
      const auto last = [&](int a) { return d > a ? shape.max[a] + 0.5 : 0.0; };
      for (double x = first(0); x <= last(0); ++x)
        for (double y = first(1); y <= last(1); ++y)
          for (double z = first(2); z <= last(2); ++z)
            if (distance(shape, {x, y, z}) < 0) expected.push_back({x, y, z});
      EXPECT_FALSE(expected.empty());
      EXPECT_EQ(sample_shape(shape, 1, 1, Sampling::kUniform, 1).positions, expected);
    }
}

TEST(Sampling, CostsNothingForSpaceBetween) {
  Shape a, b, both;
  a.radius = b.radius = 2;
  b.center = {1e4, 1e4, 1e4};
  both.type = ShapeType::kUnion;
  both.children = {a, b};
  for (const Sampling sampling : kAll) {
    const Samples samples = sample_shape(compile_shape(both, 3, 1), 1, 8, sampling, 1);
    const double volume = 2 * ball_volume(2, 3);
    EXPECT_NEAR(samples.volume, volume, 5e-3 * volume);
    const auto far = std::count_if(samples.positions.begin(), samples.positions.end(),
                                   [](const Vec3& x) { return x[0] > 5e3; });
    EXPECT_GT(far, 0);
    EXPECT_LT(far, static_cast<std::ptrdiff_t>(samples.positions.size()));
  }
}

TEST(Sampling, TellsHowFarItIs) {
  for (int d : {2, 3})
    for (Sampling sampling : kAll) {
      double before = 0;
      std::size_t found = 0, calls = 0;
      const auto watch = [&](double part, std::size_t points) {
        EXPECT_GE(part, before);
        EXPECT_LE(part, 1);
        EXPECT_GE(points, found);
        before = part, found = points, ++calls;
      };
      const Samples watched = sample_shape(ball(20, d), 1, 8, sampling, 3, watch);
      EXPECT_GT(calls, 40u);
      EXPECT_GT(before, 0.75);  // rows of tiles that the shape's bounds cut count as work
      EXPECT_EQ(found, watched.positions.size());
      const Samples alone = sample_shape(ball(20, d), 1, 8, sampling, 3);
      EXPECT_EQ(watched.positions, alone.positions);
      EXPECT_EQ(watched.volume, alone.volume);
    }
}

TEST(Sampling, EmptyAndUnboundedShapes) {
  Shape a, b;
  a.radius = b.radius = 1;
  b.center = {5, 0, 0};
  Shape nothing;
  nothing.type = ShapeType::kIntersection;
  nothing.children = {a, b};
  const Samples none = sample_shape(compile_shape(nothing, 3, 0.5), 0.5, 8, Sampling::kPoisson, 1);
  EXPECT_TRUE(none.positions.empty());
  EXPECT_EQ(none.particle_volume(), 0);
  Shape ground;
  ground.type = ShapeType::kHalfSpace;
  EXPECT_THROW(sample_shape(compile_shape(ground, 3, 0.5), 0.5, 8, Sampling::kPoisson, 1), Error);
  Shape vast;
  vast.radius = 1e9;
  EXPECT_THROW(sample_shape(compile_shape(vast, 3, 0.5), 0.5, 8, Sampling::kPoisson, 1), Error);
}

}  // namespace
}  // namespace firn
