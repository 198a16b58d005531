// Height fields against planes, which they hold exactly, and a wave, which linear interpolation
// meets within h^2/8 of its curvature; pictures as heights; what is refused; and water on a
// terrain.
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "firn/simulation.h"
#include "src/render/mesh.h"
#include "src/scene/height_map.h"
#include "src/scene/sampling.h"
#include "src/scene/shapes.h"
#include "tests/support/scene_cases.h"
#include "tests/support/scratch_folder.h"

namespace firn {
namespace {

constexpr double kDx = 0.1;
constexpr double kSpacing = kDx / 2;
constexpr double kFloat = std::numeric_limits<float>::epsilon();

Shape field(const std::string& height, Vec3 min, Vec3 max) {
  Shape s;
  s.type = ShapeType::kHeightField;
  s.height = {0, height};
  s.min = min;
  s.max = max;
  return s;
}

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
      compile_shape(field("0.3 + 0.5*x - 0.25*z", {-3, 0, -3}, {3, 0, 3}), 3, kDx);
  const CompiledShape flat = compile_shape(field("0.3 + 0.5*x", {-3, 0, 0}, {3, 0, 0}), 2, kDx);
  const double rounding = (a - b) * 6 * kFloat;  // of the range of the heights
  std::mt19937 engine(1);
  for (int q = 0; q < 500; ++q) {
    const Vec3 x = point_in(engine, 2);
    EXPECT_NEAR(distance(in_space, x), (x[1] - 0.3 - a * x[0] - b * x[2]) / length, rounding);
    EXPECT_NEAR(distance(flat, x), (x[1] - 0.3 - a * x[0]) / std::sqrt(1 + a * a), rounding);
    const Vec3 n = normal(in_space, x, 0.1 * kDx);
    const double step_error = 2 * rounding / (0.1 * kDx);
    EXPECT_NEAR(n[0], -a / length, step_error);
    EXPECT_NEAR(n[1], 1 / length, step_error);
    EXPECT_NEAR(n[2], -b / length, step_error);
  }
}

TEST(HeightField, EdgesContinue) {
  const CompiledShape shape = compile_shape(field("x + 2*z", {0, 0, 0}, {1, 0, 1}), 3, kDx);
  const auto height = [&](double x, double z) {
    return -distance(shape, {x, 0, z}) * std::sqrt(6);
  };
  EXPECT_NEAR(height(-5, 0.5), 1, 4 * kFloat);
  EXPECT_NEAR(height(7, 0.5), 2, 4 * kFloat);
  EXPECT_NEAR(height(0.5, -1e9), 0.5, 4 * kFloat);
  EXPECT_NEAR(height(1e9, 1e9), 3, 4 * kFloat);
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
      kAmplitude * (kX * kX + kZ * kZ) * kSpacing * kSpacing / 8 + 2 * kAmplitude * kFloat;
  static Shape shape() { return field("0.2 * sin(4*x) * cos(3*z)", {-2, 0, -2}, {2, 0, 2}); }
};

TEST(HeightField, WaveIsALowerBoundOfTheDistanceWithItsSign) {
  const CompiledShape shape = compile_shape(Wave::shape(), 3, kDx);
  std::vector<Vec3> surface;
  constexpr int n = 500;
  const double pitch = 4.0 / n;
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k <= n; ++k) {
      const double x = -2 + i * pitch, z = -2 + k * pitch;
      surface.push_back({x, Wave::height(x, z), z});
    }
  // |grad| <= a max(kx, kz); slopes along the two edges at a corner are a cell apart.
  const double steepest = Wave::kAmplitude * Wave::kX * (1 + std::pow(Wave::kX * kSpacing, 2));
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
  const double slack = 1 + 2 * 2 * Wave::kAmplitude * kFloat / kSpacing;
  std::mt19937 engine(3);
  for (const Shape& s : {Wave::shape(), block}) {
    const CompiledShape shape = compile_shape(s, 3, kDx);
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
  const CompiledShape shape = compile_shape(field("0.2 * sin(4*x)", {-2, 0, 0}, {2, 0, 0}), 2, kDx);
  std::mt19937 engine(4);
  const double tolerance = 0.2 * 16 * (kSpacing + 0.1 * kDx);
  for (int q = 0; q < 300; ++q) {
    const double x = uniform(engine, -1.9, 1.9), slope = 0.8 * std::cos(4 * x);
    const Vec3 n = normal(shape, {x, 0.2 * std::sin(4 * x), 0}, 0.1 * kDx);
    EXPECT_NEAR(-n[0] / n[1], slope, tolerance);
    EXPECT_NEAR(std::hypot(n[0], n[1]), 1, 1e-12);
  }
}

TEST(HeightField, WithoutABaseItHasNoEnd) {
  const CompiledShape shape = compile_shape(field("0.5 + 0.1*x", {0, 0, 0}, {1, 0, 1}), 3, kDx);
  EXPECT_FALSE(shape.bounded());
  EXPECT_NEAR(shape.max[1], 0.6, 1e-12);
  EXPECT_LT(distance(shape, {50, -1000, 50}), 0);
  EXPECT_THROW(require_bounded(shape, "body \"hill\""), Error);
}

TEST(HeightField, ABlockIsCutOffAtItsRectangleAndBase) {
  Shape block = field("0.5 + 0.2*x", {0, 0, -1}, {1, 0, 2});
  block.base = -0.25;
  const CompiledShape shape = compile_shape(block, 3, kDx);
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
  const double volume = 0.85 * 3, cells = 2 * (3 + 3 * 0.85 + 0.85) / (kDx * kDx);
  EXPECT_NEAR(shape_volume(shape, kDx), volume, 1e-3 * cells * std::pow(kDx, 3));
  const Samples samples = sample_shape(shape, kDx, 8, Sampling::kPoisson, 1);
  EXPECT_GT(samples.positions.size(), 0.95 * 8 * volume / std::pow(kDx, 3));
  for (const Vec3& x : samples.positions) {
    EXPECT_LT(x[1], 0.5 + 0.2 * x[0] + 4 * kFloat);
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
  const CompiledShape plain = compile_shape(child, 3, kDx),
                      moved = compile_shape(placed, 3, 2 * kDx);
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
  both.children = {field("1 + 0*x", {0, 0, 0}, {1, 0, 1}), field("2", {0, 0, 0}, {0.7, 0, 0.3})};
  both.children[0].base = 0;
  both.children[1].base = 1.5;
  const CompiledShape shape = compile_shape(both, 3, kDx);
  EXPECT_NEAR(distance(shape, {0.5, 1.1, 0.8}), 0.1, 1e-12);
  EXPECT_NEAR(distance(shape, {0.35, 2.1, 0.15}), 0.1, 1e-12);
}

// Coordinates up to 2.5, heights and their products: 32 epsilons of that magnitude.
TEST(HeightField, SinglePrecisionAgreesWithDouble) {
  Shape block = Wave::shape();
  block.base = -0.5;
  for (const Shape& s : {Wave::shape(), block}) {
    const CompiledShape shape = compile_shape(s, 3, kDx);
    const auto code = instructions<float>(shape);
    const SdfProgram<float> single{code.data(), static_cast<int>(code.size()), shape.meshes.data()};
    std::mt19937 engine(6);
    for (int q = 0; q < 500; ++q) {
      const Vec3 x = point_in(engine, 2.5);
      const Vec<float, 3> y = {
          {static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2])}};
      EXPECT_NEAR(static_cast<double>(signed_distance<3>(single, y)),
                  distance(shape, {y[0], y[1], y[2]}), 32 * 2.5 * kFloat);
    }
  }
}

// --- pictures ---

// Samples of `channels` x `bits`, big-endian as PNG has them.
void write_raw_png(const std::string& path, int width, int height, int channels, int bits,
                   const std::vector<png_byte>& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  const int types[] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                       PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), bits,
               types[channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const std::size_t stride = bytes.size() / static_cast<std::size_t>(height);
  for (int row = 0; row < height; ++row)
    png_write_row(png, &bytes[static_cast<std::size_t>(row) * stride]);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
}

TEST(HeightField, PicturesKeepEveryBit) {
  const test::ScratchFolder folder;
  const std::string path = (folder / "a.png").string();
  std::vector<png_byte> grey8, grey16;
  for (int i = 0; i < 256; ++i) grey8.push_back(static_cast<png_byte>(i));
  for (int i = 0; i < 4096; ++i) {
    grey16.push_back(static_cast<png_byte>(i * 16 >> 8));
    grey16.push_back(static_cast<png_byte>(i * 16 & 255));
  }
  write_raw_png(path, 16, 16, 1, 8, grey8);
  const GreyImage a = read_grey_png(path);
  ASSERT_EQ(a.width, 16);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(a.value[i], static_cast<float>(i / 255.0));
  write_raw_png(path, 64, 64, 1, 16, grey16);
  const GreyImage b = read_grey_png(path);
  ASSERT_EQ(b.height, 64);
  for (int i = 0; i < 4096; ++i) EXPECT_EQ(b.value[i], static_cast<float>(i * 16 / 65535.0));
}

TEST(HeightField, ColoursCountByLuminanceAndTransparencyNot) {
  const test::ScratchFolder folder;
  const std::string path = (folder / "a.png").string();
  write_raw_png(path, 2, 1, 4, 8, {255, 0, 0, 7, 0, 255, 0, 255});
  const GreyImage image = read_grey_png(path);
  EXPECT_EQ(image.value, (std::vector<float>{0.2126f, 0.7152f}));
}

// Rows run from min z to max z, columns from min x to max x; between samples, straight lines.
TEST(HeightField, PicturesLieAsMapsSeenFromAbove) {
  const test::ScratchFolder folder;
  Shape map = field("", {10, 0, 20}, {12, 0, 24});
  map.file = (folder / "map.png").string();
  map.low = 1;
  map.high = 3;
  write_raw_png(map.file, 2, 2, 1, 8, {0, 255, 51, 204});
  const CompiledShape shape = compile_shape(map, 3, kDx);
  const HeightGrid grid = bake_heights(map, 3, kSpacing);
  const double factor = std::sqrt(1 + std::pow(grid.steepest(), 2));
  const auto height = [&](double x, double z) { return -factor * distance(shape, {x, 0, z}); };
  EXPECT_NEAR(height(10, 20), 1, 8 * kFloat);
  EXPECT_NEAR(height(12, 20), 3, 8 * kFloat);
  EXPECT_NEAR(height(10, 24), 1.4, 8 * kFloat);
  EXPECT_NEAR(height(12, 24), 2.6, 8 * kFloat);
  EXPECT_NEAR(height(10.5, 20), 1.5, 8 * kFloat);
  EXPECT_NEAR(height(11, 22), 2, 8 * kFloat);
  // Slopes 1 along x at the top row, 0.1 along z at both ends.
  EXPECT_NEAR(grid.steepest(), std::hypot(1, 0.1), 1e-5);
  map.min[2] = map.max[2] = 0;
  EXPECT_NEAR(bake_heights(map, 2, kSpacing).lowest, 1.2, 8 * kFloat);  // the middle of the rows
}

// --- scene files ---

Scene terrain_scene(const std::string& shape, const std::string& directory = "/nowhere") {
  return parse_scene(
      edited(kScene3D, "{ type = \"half_space\", point = [0, 0, 0], normal = [0, 1, 0] }", shape),
      "s.toml", directory);
}

TEST(HeightField, IsReadFromScenes) {
  const Shape a = terrain_scene(
                      "{ type = \"height_field\", height = \"x^2 - z\", min = [-1, -2], "
                      "max = [3, 4], base = -9 }")
                      .colliders[0]
                      .shape;
  EXPECT_EQ(a.type, ShapeType::kHeightField);
  EXPECT_EQ(a.height.expression, "x^2 - z");
  EXPECT_EQ(a.min, (Vec3{-1, 0, -2}));
  EXPECT_EQ(a.max, (Vec3{3, 0, 4}));
  EXPECT_EQ(a.base, -9);
  const Scene flat = parse_scene(
      edited(kScene2D, "{ type = \"sphere\", center = [0, 0], radius = 1 }",
             "{ type = \"height_field\", height = \"abs(x)\", min = -1, max = 2, base = -0.5 }"),
      "s.toml", "/nowhere");
  EXPECT_EQ(flat.bodies[0].shape.min[0], -1);
  EXPECT_EQ(flat.bodies[0].shape.max[0], 2);

  const test::ScratchFolder folder;
  write_raw_png((folder / "map.png").string(), 2, 2, 1, 8, {0, 1, 2, 3});
  const Scene mapped = terrain_scene(
      "{ type = \"height_field\", file = \"map.png\", low = 0, high = 0.5, min = [0, 0], max = [1, "
      "1] }",
      folder.path().string());
  EXPECT_EQ(mapped.colliders[0].shape.file, (folder / "map.png").string());
  EXPECT_EQ(parse_scene(mapped.resolved_toml, "s.toml", "/elsewhere").colliders, mapped.colliders);
}

TEST(HeightField, MistakesAreSaidWithTheirPlace) {
  const std::string plane = "{ type = \"half_space\", point = [0, 0, 0], normal = [0, 1, 0] }";
  const std::string rectangle = "min = [0, 0], max = [1, 1]";
  const auto with = [&](const std::string& rest) { return "{ type = \"height_field\", " + rest; };
  const Case cases[] = {
      {plane, "@{ type = \"height_field\", " + rectangle + " }", {"needs the key 'height'"}},
      {plane, "@{ type = \"height_field\", height = 1, min = [0, 0] }", {"needs the key 'max'"}},
      {plane, with(rectangle + ", height = @\"sin(q)\" }"), {"expression \"sin(q)\"", "x, z, pi"}},
      {plane, with(rectangle + ", height = @\"y\" }"), {"expression \"y\"", "x, z, pi"}},
      {plane, with(rectangle + ", height = @\"x*t\" }"), {"expression \"x*t\""}},
      {plane, with(rectangle + ", height = @\"1/(x - 0.5)\" }"), {"not finite at x = 0.5"}},
      {plane, with(rectangle + ", height = @true }"), {"a number or an expression of x, z"}},
      {plane, with("min = [0, 0], max = @[1, 0], height = 1 }"), {"must exceed 'min'", "along z"}},
      {plane, with("min = @[0, 0, 0], max = [1, 1], height = 1 }"), {"2 entries (x, z), found 3"}},
      {plane, with(rectangle + ", height = @1, base = 1 }"), {"'base' (1) must lie below"}},
      {plane,
       with(rectangle + ", height = 1, low = @2 }"),
       {"belongs to a height_field with a 'file'"}},
      {plane,
       with(rectangle + ", height = 1, @heigth = 2 }"),
       {"unknown key 'heigth'", "'height'"}},
      {plane,
       with(rectangle + ", height = @1, file = \"a.png\", low = 0, high = 1 }"),
       {"exclude each other"}},
  };
  for (const Case& c : cases) expect_one_finding(kScene3D, c);
  const Case flat = {"{ type = \"sphere\", center = [0, 0], radius = 1 }",
                     with("min = 0, max = 1, height = @\"z\", base = -1 }"),
                     {"expression \"z\"", "(it may use x, pi)"}};
  expect_one_finding(kScene2D, flat);
}

std::string file_error(const std::string& shape, const std::string& directory) {
  try {
    terrain_scene(shape, directory);
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kFile);
    return error.what();
  }
  return "no error";
}

TEST(HeightField, UnreadablePicturesAreErrorsOfTheirFile) {
  const test::ScratchFolder folder;
  const std::string shape =
      "{ type = \"height_field\", file = \"a.png\", low = 0, high = 1, min = [0, 0], max = [1, 1] "
      "}";
  const std::string path = (folder / "a.png").string(), directory = folder.path().string();
  const auto expect = [&](const std::string& reason) {
    const std::string message = file_error(shape, directory);
    EXPECT_EQ(message.find("s.toml:"), 0U) << message;
    EXPECT_NE(message.find(path), std::string::npos) << message;
    EXPECT_NE(message.find(reason), std::string::npos) << message;
  };
  expect("No such file");
  test::write_text(path, "this is no picture");
  expect("PNG");
  write_raw_png(path, 64, 64, 1, 8, std::vector<png_byte>(64 * 64, 100));
  const std::string whole = test::text_of(path);
  for (std::size_t keep = 0; keep + 12 < whole.size(); keep += 7) {
    test::write_text(path, whole.substr(0, keep));
    EXPECT_NE(file_error(shape, directory), "no error") << keep << " bytes";
  }
}

// --- in use ---

// Water poured on a slope runs down it and never through it: particles may sink by half a cell, to
// which the guard holds them, and by the error of the interpolation.
TEST(HeightField, WaterStaysOnTheTerrain) {
  const std::string text = R"TOML(
[simulation]
dimension = 3
frames = 12
fps = 24
integrator = "incompressible"
[grid]
dx = 0.05
domain = { min = [0, 0, 0], max = [1.5, 1, 0.6], boundary = "slip" }
[material.water]
preset = "water"
[[body]]
material = "water"
shape = { type = "difference", children = [
  { type = "box", min = [0, 0, 0], max = [0.5, 0.7, 0.6] },
  { type = "height_field", height = "0.4 - 0.3*x + 0.04*sin(9*x)*cos(8*z)", min = [0, 0], max = [1.5, 0.6] } ] }
[[collider]]
boundary = "slip"
shape = { type = "height_field", height = "0.4 - 0.3*x + 0.04*sin(9*x)*cos(8*z)", min = [0, 0], max = [1.5, 0.6] }
)TOML";
  const Scene scene = parse_scene(text, "s.toml", "/nowhere");
  const CompiledShape terrain = compile_shape(scene.colliders[0].shape, 3, scene.grid.dx);
  Simulation simulation(scene, {Device::kCpu, 1});
  const auto count = simulation.snapshot().size();
  for (int frame = 0; frame < 12; ++frame) ASSERT_TRUE(simulation.advance_frame());
  const Snapshot s = simulation.snapshot();
  ASSERT_EQ(s.size(), count);
  double farthest = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const Vec3 x{s.position[3 * i], s.position[3 * i + 1], s.position[3 * i + 2]};
    EXPECT_GT(distance(terrain, x), -0.51 * scene.grid.dx);
    farthest = std::max(farthest, x[0]);
  }
  EXPECT_GT(farthest, 1.0);
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
}  // namespace firn
