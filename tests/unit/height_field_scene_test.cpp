// Height fields of scenes: pictures as heights, what is read and what is refused; and water on a
// terrain.
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "firn/simulation.h"
#include "src/scene/height_map.h"
#include "src/scene/shapes.h"
#include "tests/support/expect_error.h"
#include "tests/support/height_fields.h"
#include "tests/support/large_png.h"
#include "tests/support/scene_cases.h"
#include "tests/support/scratch_folder.h"

namespace firn::test {
namespace {

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
  const ScratchFolder folder;
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
  const ScratchFolder folder;
  const std::string path = (folder / "a.png").string();
  write_raw_png(path, 2, 1, 4, 8, {255, 0, 0, 7, 0, 255, 0, 255});
  const GreyImage image = read_grey_png(path);
  EXPECT_EQ(image.value, (std::vector<float>{0.2126f, 0.7152f}));
}

// Rows run from min z to max z, columns from min x to max x; between samples, straight lines.
TEST(HeightField, PicturesLieAsMapsSeenFromAbove) {
  const ScratchFolder folder;
  Shape map = height_field("", {10, 0, 20}, {12, 0, 24});
  map.file = (folder / "map.png").string();
  map.low = 1;
  map.high = 3;
  write_raw_png(map.file, 2, 2, 1, 8, {0, 255, 51, 204});
  const CompiledShape shape = compile_shape(map, 3, kFieldDx);
  const HeightGrid grid = bake_heights(map, 3, kFieldSpacing);
  const double factor = std::sqrt(1 + std::pow(grid.steepest(), 2));
  const auto height = [&](double x, double z) { return -factor * distance(shape, {x, 0, z}); };
  EXPECT_NEAR(height(10, 20), 1, 8 * kFloatEpsilon);
  EXPECT_NEAR(height(12, 20), 3, 8 * kFloatEpsilon);
  EXPECT_NEAR(height(10, 24), 1.4, 8 * kFloatEpsilon);
  EXPECT_NEAR(height(12, 24), 2.6, 8 * kFloatEpsilon);
  EXPECT_NEAR(height(10.5, 20), 1.5, 8 * kFloatEpsilon);
  EXPECT_NEAR(height(11, 22), 2, 8 * kFloatEpsilon);
  // Slopes 1 along x at the top row, 0.1 along z at both ends.
  EXPECT_NEAR(grid.steepest(), std::hypot(1, 0.1), 1e-5);
  map.min[2] = map.max[2] = 0;
  EXPECT_NEAR(bake_heights(map, 2, kFieldSpacing).lowest, 1.2,
              8 * kFloatEpsilon);  // the middle of the rows
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

  const ScratchFolder folder;
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
  const ScratchFolder folder;
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
  write_text(path, "this is no picture");
  expect("PNG");
  write_raw_png(path, 64, 64, 1, 8, std::vector<png_byte>(64 * 64, 100));
  const std::string whole = text_of(path);
  for (std::size_t keep = 0; keep + 12 < whole.size(); keep += 7) {
    write_text(path, whole.substr(0, keep));
    EXPECT_NE(file_error(shape, directory), "no error") << keep << " bytes";
  }
}

TEST(HeightField, PicturesThatOnlySayToBeLargeAreRefusedBeforeThereIsRoomForThem) {
  const ScratchFolder folder;
  write_text(folder / "large.png", png_that_says_to_be_large());
  const std::size_t before = peak_memory();
  expect_error(ErrorCategory::kFile, {"large.png", "16383 x 16384", "its file is too short"},
               [&] { read_grey_png((folder / "large.png").string()); });
  EXPECT_LT(peak_memory(), before + (std::size_t{50} << 20));
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

}  // namespace
}  // namespace firn::test
