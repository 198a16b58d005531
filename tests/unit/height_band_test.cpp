// Distances to cliffs, against the nearest of all triangles.
#include "src/scene/height_band.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "kernels/collide/deforming_sdf.h"
#include "src/scene/sampling.h"
#include "src/scene/shapes.h"
#include "src/scene/triangle_distance.h"
#include "tests/support/height_fields.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

using Vector = Vec<double, 3>;

constexpr double kBandWidth = 3 * kFieldDx;

// Where a distance turns back halfway between two samples, as between two walls.
constexpr double kOfSamples = 0.5 * kFieldSpacing;

Shape steps(double base = 0) {
  Shape s = height_field("x < 0.24 ? 0.1 * x : (z < -0.01 ? 1 : 0.55)", {-1, 0, -1}, {1, 0, 1});
  if (base < 0) s.base = base;
  return s;
}

// The heights as triangles, cut as they are in pictures.
struct Triangles {
  explicit Triangles(const Shape& shape) : grid(bake_heights(shape, 3, kFieldSpacing)) {}
  Vector point(int i, int k) const {
    return {{grid.min_x + i * grid.spacing_x,
             grid.lowest + grid.height[static_cast<std::size_t>(k * grid.columns + i)],
             grid.min_z + k * grid.spacing_z}};
  }
  double nearest(const Vector& x) const {
    double least = 1e300;
    for (int k = 0; k + 1 < grid.rows; ++k)
      for (int i = 0; i + 1 < grid.columns; ++i) {
        const Vector a = point(i, k) - x, b = point(i + 1, k) - x, c = point(i, k + 1) - x,
                     d = point(i + 1, k + 1) - x;
        least = std::min(
            {least, squared_distance_to_triangle(a, b, c), squared_distance_to_triangle(b, d, c)});
      }
    return std::sqrt(least);
  }
  HeightGrid grid;
};

Vector within(std::mt19937& engine, const Vector& low, const Vector& high) {
  Vector x;
  for (int a = 0; a < 3; ++a)
    x[a] = std::uniform_real_distribution<double>(low[a], high[a])(engine);
  return x;
}
double distance_at(const CompiledShape& shape, const Vector& x) {
  return distance(shape, {x[0], x[1], x[2]});
}

TEST(HeightBand, IsTheDistanceToACliff) {
  const CompiledShape shape = compile_shape(steps(), 3, kFieldDx);
  const Triangles exact(steps());
  std::mt19937 engine(1);
  int near = 0;
  for (int q = 0; q < 2000; ++q) {
    const Vector x = within(engine, {{-0.6, -0.5, -0.6}}, {{0.6, 1.5, 0.6}});
    const double d = distance_at(shape, x), truth = exact.nearest(x);
    EXPECT_LE(std::abs(d), truth + kOfSamples);
    if (truth > kBandWidth) {
      EXPECT_GE(std::abs(d), kBandWidth - kOfSamples);
    } else {
      EXPECT_GE(std::abs(d), truth - kOfSamples);
      ++near;
    }
    const double ground = x[0] < 0.2 ? 0.1 * x[0] : x[0] < 0.25 ? NAN : x[2] < -0.05 ? 1 : 0.55;
    const bool between = x[0] > 0.2 && x[2] > -0.06 && x[2] < 0.01;
    if (!between && std::abs(x[1] - ground) > 1e-3) {
      EXPECT_EQ(d < 0, x[1] < ground) << x[0];
    }
  }
  EXPECT_GT(near, 700);
}

// What is in the wall is led out sideways, as deep as it may be.
TEST(HeightBand, NormalsOfAWallLieLevel) {
  const CompiledShape in_space = compile_shape(steps(), 3, kFieldDx);
  const CompiledShape flat =
      compile_shape(height_field("x < 0.24 ? 0 : 1", {-1, 0, 0}, {1, 0, 0}), 2, kFieldDx);
  for (const CompiledShape& shape : {in_space, flat})
    for (const double depth : {0.02, 0.07, 0.13, 0.22}) {
      const Vec3 x{0.225 + depth, 0.5, shape.dimension == 3 ? -0.5 : 0};
      const Vec3 n = normal(shape, x, 0.1 * kFieldDx);
      EXPECT_LT(n[0], -0.99) << depth;
      // The wall is a sample wide and has its middle there.
      EXPECT_NEAR(distance(shape, x), -depth, 0.05 * kFieldSpacing) << depth;
    }
}

TEST(HeightBand, FollowsScaleRotationAndBase) {
  const Shape turned = steps(-0.5);
  Shape whole;
  whole.type = ShapeType::kTransform;
  whole.scale = 2;
  whole.rotation = {0, std::numbers::pi / 2, 0};
  whole.translation = {3, 1, -2};
  whole.children = {turned};
  const CompiledShape plain = compile_shape(turned, 3, kFieldDx / 2),
                      moved = compile_shape(whole, 3, kFieldDx);
  std::mt19937 engine(2);
  for (int q = 0; q < 500; ++q) {
    const Vector x = within(engine, {{-1.2, -0.8, -1.2}}, {{1.2, 1.3, 1.2}});
    // A quarter of a turn about y takes x to -z and z to x.
    const Vector y{{2 * x[2] + 3, 2 * x[1] + 1, -2 * x[0] - 2}};
    EXPECT_NEAR(distance_at(moved, y), 2 * distance_at(plain, x), 1e-6);
  }
  EXPECT_GT(distance(plain, {0, -0.6, 0}), 0.09);
  EXPECT_LE(distance(plain, {0.5, -0.1, -0.5}), -kBandWidth / 2);
  EXPECT_GT(distance(plain, {1.1, 0.5, -0.5}), 0.09);
}

// Beyond the rectangle the heights of its edge go on, and nothing reads beyond the samples.
TEST(HeightBand, EdgesContinue) {
  const CompiledShape shape = compile_shape(steps(), 3, kFieldDx);
  EXPECT_NEAR(distance(shape, {0.225, 0.5, -7}), 0, 0.05 * kFieldSpacing);
  EXPECT_NEAR(distance(shape, {-1e6, 0.05, 0.5}), 0.15 / std::hypot(1, 0.1), kOfSamples);
  EXPECT_LT(distance(shape, {1e9, -1e9, 1e9}), -kBandWidth / 2);
  EXPECT_GT(distance(shape, {1e9, 1e9, 1e9}), kBandWidth);
}

TEST(HeightBand, BelongsToSteepGroundOfSizesThatFit) {
  const auto of = [](const std::string& height, double reach, double spacing) {
    const HeightGrid grid =
        bake_heights(height_field(height, {-reach, 0, -reach}, {reach, 0, reach}), 3, spacing);
    return std::pair{!cached_height_band(grid, spacing)->bytes.empty(),
                     is_too_large_for_band(grid, spacing)};
  };
  EXPECT_EQ(of("2 * x", 1, 0.05), (std::pair{false, false}));
  EXPECT_EQ(of("2.1 * x", 1, 0.05), (std::pair{true, false}));
  EXPECT_EQ(of("1e6 * x", 1, 0.05), (std::pair{false, true}));
  const HeightGrid cliff = bake_heights(steps(), 3, kFieldSpacing);
  EXPECT_EQ(cached_height_band(cliff, kFieldSpacing), cached_height_band(cliff, kFieldSpacing));
}

// Water in a pit whose walls are steps of the heights.
TEST(HeightBand, APitHoldsWater) {
  for (const int dimension : {2, 3}) {
    Scene scene = empty_scene(dimension, 0.05);
    scene.simulation.gravity = {0, -9.81, 0};
    scene.materials = {{}};
    scene.materials[0].name = "water";
    scene.materials[0].model = MaterialModel::kWeaklyCompressible;
    scene.materials[0].density = 1000;
    scene.materials[0].bulk_modulus = 1e5;
    const bool space = dimension == 3;
    const double deep = space ? 0.4 : 0;
    scene.bodies = {body("pool", 0, box({-0.4, 0, -deep}, {0.4, 0.5, deep}))};
    scene.colliders = {collider(
        "ground",
        height_field(space ? "abs(x) < 0.4 && abs(z) < 0.4 ? 0 : 1" : "abs(x) < 0.4 ? 0 : 1",
                     {-1, 0, space ? -1.0 : 0}, {1, 0, space ? 1.0 : 0}),
        BoundaryType::kSeparate)};
    Simulation simulation = simulate(scene);
    simulation.advance_until(1);
    const Snapshot s = simulation.snapshot();
    const auto d = static_cast<std::size_t>(dimension);
    for (std::size_t p = 0; p < s.size(); ++p)
      for (std::size_t a = 0; a < d; a += 2)
        ASSERT_LT(std::abs(s.position[d * p + a]), 0.475) << dimension;
  }
}

}  // namespace
}  // namespace firn::test
