// Height fields against planes, which they hold exactly, and a wave, which linear interpolation
// meets within h^2/8 of its curvature.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "firn/error.h"
#include "src/render/mesh.h"
#include "src/scene/sampling.h"
#include "src/scene/shapes.h"
#include "tests/support/height_fields.h"

namespace firn::test {
namespace {

double uniform(std::mt19937& engine, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(engine);
}
Vec3 point_in(std::mt19937& engine, double reach) {
  return {uniform(engine, -reach, reach), uniform(engine, -reach, reach),
          uniform(engine, -reach, reach)};
}

// Heights are stored in single precision above the lowest.
TEST(HeightField, PlaneIsExact) {
  const double a = 0.5, b = -0.25, length = std::sqrt(1 + a * a + b * b);
  const CompiledShape in_space =
      compile_shape(height_field("0.3 + 0.5*x - 0.25*z", {-3, 0, -3}, {3, 0, 3}), 3, kFieldDx);
  const CompiledShape flat =
      compile_shape(height_field("0.3 + 0.5*x", {-3, 0, 0}, {3, 0, 0}), 2, kFieldDx);
  const double rounding = (a - b) * 6 * kFloatEpsilon;  // of the range of the heights
  std::mt19937 engine(1);
  for (int q = 0; q < 500; ++q) {
    const Vec3 x = point_in(engine, 2);
    EXPECT_NEAR(distance(in_space, x), (x[1] - 0.3 - a * x[0] - b * x[2]) / length, rounding);
    EXPECT_NEAR(distance(flat, x), (x[1] - 0.3 - a * x[0]) / std::sqrt(1 + a * a), rounding);
    const Vec3 n = normal(in_space, x, 0.1 * kFieldDx);
    const double step_error = 2 * rounding / (0.1 * kFieldDx);
    EXPECT_NEAR(n[0], -a / length, step_error);
    EXPECT_NEAR(n[1], 1 / length, step_error);
    EXPECT_NEAR(n[2], -b / length, step_error);
  }
}

TEST(HeightField, EdgesContinue) {
  const CompiledShape shape =
      compile_shape(height_field("0.5*x + z", {0, 0, 0}, {1, 0, 1}), 3, kFieldDx);
  const auto height = [&](double x, double z) { return -distance(shape, {x, 0, z}) * 1.5; };
  EXPECT_NEAR(height(-5, 0.5), 0.5, 2 * kFloatEpsilon);
  EXPECT_NEAR(height(7, 0.5), 1, 2 * kFloatEpsilon);
  EXPECT_NEAR(height(0.5, -1e9), 0.25, 2 * kFloatEpsilon);
  EXPECT_NEAR(height(1e9, 1e9), 1.5, 2 * kFloatEpsilon);
  // No particle, however lost, may read beyond the samples.
  EXPECT_TRUE(std::isnan(distance(shape, {std::numeric_limits<double>::quiet_NaN(), 0, 0})));
}

struct Wave {
  static constexpr double kAmplitude = 0.2, kX = 4, kZ = 3;
  static double height(double x, double z) {
    return kAmplitude * std::sin(kX * x) * std::cos(kZ * z);
  }
  // Interpolation along x, then z: spacing^2 / 8 of each second derivative.
  static constexpr double kError =
      kAmplitude * (kX * kX + kZ * kZ) * kFieldSpacing * kFieldSpacing / 8 +
      2 * kAmplitude * kFloatEpsilon;
  static Shape shape() { return height_field("0.2 * sin(4*x) * cos(3*z)", {-2, 0, -2}, {2, 0, 2}); }
};

TEST(HeightField, WaveIsALowerBoundOfTheDistanceWithItsSign) {
  const CompiledShape shape = compile_shape(Wave::shape(), 3, kFieldDx);
  std::vector<Vec3> surface;
  constexpr int n = 500;
  const double pitch = 4.0 / n;
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k <= n; ++k) {
      const double x = -2 + i * pitch, z = -2 + k * pitch;
      surface.push_back({x, Wave::height(x, z), z});
    }
  // |grad| <= a max(kx, kz); slopes along the two edges at a corner are a cell apart.
  const double steepest = Wave::kAmplitude * Wave::kX * (1 + std::pow(Wave::kX * kFieldSpacing, 2));
  std::mt19937 engine(2);
  for (int q = 0; q < 100; ++q) {
    const Vec3 x{uniform(engine, -1.2, 1.2), uniform(engine, -0.6, 0.6),
                 uniform(engine, -1.2, 1.2)};
    double nearest = 1e300;
    for (const Vec3& p : surface)
      nearest = std::min(nearest, std::hypot(p[0] - x[0], p[1] - x[1], p[2] - x[2]));
    const double d = distance(shape, x), above = x[1] - Wave::height(x[0], x[2]);
    // The nearest sample of the surface is no nearer than the surface.
    EXPECT_LE(std::abs(d), nearest + Wave::kError);
    EXPECT_GE(std::abs(d), (std::abs(above) - Wave::kError) / std::sqrt(1 + steepest * steepest));
    EXPECT_TRUE((d < 0) == (above < 0) || std::abs(above) <= Wave::kError);
  }
}

TEST(HeightField, ChangesByNoMoreThanTheWay) {
  Shape block = Wave::shape();
  block.base = -0.5;
  // Rounded heights change the slope of a cell by their rounding over its width.
  const double slack = 1 + 2 * 2 * Wave::kAmplitude * kFloatEpsilon / kFieldSpacing;
  std::mt19937 engine(3);
  for (const Shape& s : {Wave::shape(), block}) {
    const CompiledShape shape = compile_shape(s, 3, kFieldDx);
    for (int q = 0; q < 2000; ++q) {
      const Vec3 x = point_in(engine, 2.5);
      Vec3 y = point_in(engine, 0.05);
      for (int i = 0; i < 3; ++i) y[i] += x[i];
      const double way = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
      EXPECT_LE(std::abs(distance(shape, x) - distance(shape, y)), way * slack);
    }
  }
}

// A difference of interpolated heights lies between the least and the largest slope of the cells it
// crosses, all within a spacing and a step.
TEST(HeightField, NormalsFollowTheSlope) {
  const CompiledShape shape =
      compile_shape(height_field("0.2 * sin(4*x)", {-2, 0, 0}, {2, 0, 0}), 2, kFieldDx);
  std::mt19937 engine(4);
  const double tolerance = 0.2 * 16 * (kFieldSpacing + 0.1 * kFieldDx);
  for (int q = 0; q < 300; ++q) {
    const double x = uniform(engine, -1.9, 1.9), slope = 0.8 * std::cos(4 * x);
    const Vec3 n = normal(shape, {x, 0.2 * std::sin(4 * x), 0}, 0.1 * kFieldDx);
    EXPECT_NEAR(-n[0] / n[1], slope, tolerance);
    EXPECT_NEAR(std::hypot(n[0], n[1]), 1, 1e-12);
  }
}

TEST(HeightField, WithoutABaseItHasNoEnd) {
  const CompiledShape shape =
      compile_shape(height_field("0.5 + 0.1*x", {0, 0, 0}, {1, 0, 1}), 3, kFieldDx);
  EXPECT_FALSE(shape.bounded());
  EXPECT_NEAR(shape.max[1], 0.6, 1e-12);
  EXPECT_LT(distance(shape, {50, -1000, 50}), 0);
  EXPECT_THROW(require_bounded(shape, "body \"hill\""), Error);
}

TEST(HeightField, ABlockIsCutOffAtItsRectangleAndBase) {
  Shape block = height_field("0.5 + 0.2*x", {0, 0, -1}, {1, 0, 2});
  block.base = -0.25;
  const CompiledShape shape = compile_shape(block, 3, kFieldDx);
  ASSERT_TRUE(shape.bounded());
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(shape.min[i], (Vec3{0, -0.25, -1})[i], 1e-12);
    EXPECT_NEAR(shape.max[i], (Vec3{1, 0.7, 2})[i], 1e-12);
  }
  EXPECT_NEAR(distance(shape, {0.5, -0.45, 0}), 0.2, 1e-12);
  EXPECT_NEAR(distance(shape, {-0.3, 0, 0}), 0.3, 1e-12);
  EXPECT_NEAR(distance(shape, {0.5, 0, 2.5}), 0.5, 1e-12);
  EXPECT_NEAR(distance(shape, {0.9, 0, 0}), -0.1, 1e-12);
  // Mean height 0.6 over a base of 1 x 3; the error is 0.1 % of a cell per cell of the surface.
  const double volume = 0.85 * 3, cells = 2 * (3 + 3 * 0.85 + 0.85) / (kFieldDx * kFieldDx);
  EXPECT_NEAR(shape_volume(shape, kFieldDx), volume, 1e-3 * cells * std::pow(kFieldDx, 3));
  const Samples samples = sample_shape(shape, kFieldDx, 8, Sampling::kPoisson, 1);
  EXPECT_GT(samples.positions.size(), 0.95 * 8 * volume / std::pow(kFieldDx, 3));
  for (const Vec3& x : samples.positions) {
    EXPECT_LT(x[1], 0.5 + 0.2 * x[0] + 4 * kFloatEpsilon);
    EXPECT_GT(x[1], -0.25);
  }
}

TEST(HeightField, TurnsScalesAndMoves) {
  Shape child = Wave::shape();
  child.base = -0.4;
  Shape placed;
  placed.type = ShapeType::kTransform;
  placed.translation = {1, 2, 3};
  placed.rotation = {0, 0, 1.5707963267948966};  // (x, y, z) -> (-y, x, z)
  placed.scale = 2;
  placed.children = {child};
  // The same samples: the spacing shrinks with the scale.
  const CompiledShape plain = compile_shape(child, 3, kFieldDx),
                      moved = compile_shape(placed, 3, 2 * kFieldDx);
  std::mt19937 engine(5);
  for (int q = 0; q < 200; ++q) {
    const Vec3 p = point_in(engine, 2.2);
    EXPECT_NEAR(distance(moved, {1 - 2 * p[1], 2 + 2 * p[0], 3 + 2 * p[2]}), 2 * distance(plain, p),
                1e-12);
  }
  EXPECT_NEAR(moved.max[0], 1 + 2 * 0.4, 1e-12);
  EXPECT_NEAR(moved.min[1], 2 - 2 * 2, 1e-12);
}

// Beside other leaves with bytes of their own, and inside booleans.
TEST(HeightField, TwoOfThemKeepTheirOwnHeights) {
  Shape both;
  both.type = ShapeType::kUnion;
  both.children = {height_field("1 + 0*x", {0, 0, 0}, {1, 0, 1}),
                   height_field("2", {0, 0, 0}, {0.7, 0, 0.3})};
  both.children[0].base = 0;
  both.children[1].base = 1.5;
  const CompiledShape shape = compile_shape(both, 3, kFieldDx);
  EXPECT_NEAR(distance(shape, {0.5, 1.1, 0.8}), 0.1, 1e-12);
  EXPECT_NEAR(distance(shape, {0.35, 2.1, 0.15}), 0.1, 1e-12);
}

// Coordinates up to 2.5, heights and their products: 32 epsilons of that magnitude.
TEST(HeightField, SinglePrecisionAgreesWithDouble) {
  Shape block = Wave::shape();
  block.base = -0.5;
  for (const Shape& s : {Wave::shape(), block}) {
    const CompiledShape shape = compile_shape(s, 3, kFieldDx);
    const auto code = instructions<float>(shape);
    const SdfProgram<float> single{code.data(), static_cast<int>(code.size()), shape.meshes.data()};
    std::mt19937 engine(6);
    for (int q = 0; q < 500; ++q) {
      const Vec3 x = point_in(engine, 2.5);
      const Vec<float, 3> y = {
          {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])}};
      EXPECT_NEAR(static_cast<double>(signed_distance<3>(single, y)),
                  distance(shape, {y[0], y[1], y[2]}), 32 * 2.5 * kFloatEpsilon);
    }
  }
}

TEST(HeightField, PicturesShowItsSurface) {
  Shape block = Wave::shape();
  block.base = -0.5;
  Mesh mesh;
  append_shape(block, {}, mesh);
  ASSERT_FALSE(mesh.indices.empty());
  int on_surface = 0;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const V3f& x = mesh.positions[i];
    const double height = Wave::height(x[0], x[2]);
    EXPECT_TRUE(std::abs(x[1] - height) < 1e-5 || std::abs(x[1] + 0.5f) < 1e-6f);
    on_surface += std::abs(x[1] - height) < 1e-5;
    EXPECT_NEAR(norm(mesh.normals[i]), 1, 1e-5);
  }
  EXPECT_GT(on_surface, 256 * 256);
}

}  // namespace
}  // namespace firn::test
