// Files of light, read back by OpenEXR.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <limits>

#include "firn/render.h"
#include "src/render/image.h"
#include "tests/support/expect_error.h"

#if FIRN_WITH_OPENEXR
#include <ImfArray.h>
#include <ImfRgbaFile.h>
#endif

namespace firn::test {
namespace {

Image with_light(int width, int height) {
  Image image = Image::filled(width, height, {});
  for (int i = 0; i < 4 * width * height; ++i) image.light.push_back(0.25f * static_cast<float>(i));
  return image;
}

#if FIRN_WITH_OPENEXR
class ExrTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("firn_exr_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

// Quarters below 2048 are halves.
TEST_F(ExrTest, RoundTripIsExact) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 17}, {31, 2}, {20, 20}}) {
    const Image image = with_light(width, height);
    write_exr(path("a.exr"), image);
    Imf::RgbaInputFile file(path("a.exr").c_str());
    const auto window = file.dataWindow();
    ASSERT_EQ(window.max.x - window.min.x + 1, width);
    ASSERT_EQ(window.max.y - window.min.y + 1, height);
    EXPECT_EQ(file.channels(), Imf::WRITE_RGBA);
    Imf::Array2D<Imf::Rgba> pixels(height, width);
    file.setFrameBuffer(&pixels[0][0], 1, static_cast<std::size_t>(width));
    file.readPixels(window.min.y, window.max.y);
    for (int i = 0; i < width * height; ++i) {
      const Imf::Rgba& p = pixels[i / width][i % width];
      const float* expected = &image.light[4 * static_cast<std::size_t>(i)];
      EXPECT_EQ(p.r, expected[0]);
      EXPECT_EQ(p.g, expected[1]);
      EXPECT_EQ(p.b, expected[2]);
      EXPECT_EQ(p.a, expected[3]);
    }
  }
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    files += entry.path().filename() == "a.exr" ? 1 : 100;
  EXPECT_EQ(files, 1) << "a temporary file is left";
}

TEST_F(ExrTest, HasTheBrightestThatAHalfHolds) {
  Image image = with_light(1, 1);
  image.light = {1e9f, 3, 0, 1};
  write_exr(path("a.exr"), image);
  Imf::RgbaInputFile file(path("a.exr").c_str());
  Imf::Rgba pixel;
  file.setFrameBuffer(&pixel, 1, 1);
  file.readPixels(0);
  EXPECT_EQ(pixel.r, 65504);
  EXPECT_EQ(pixel.g, 3);
}

TEST_F(ExrTest, FailuresAreToldAndLeaveNothing) {
  const std::string missing = path("missing/a.exr");
  expect_error(ErrorCategory::kFile, {missing, "No such file"},
               [&] { write_exr(missing, with_light(2, 2)); });
  expect_error(ErrorCategory::kFile, {"a.exr", "output.exr"},
               [&] { write_exr(path("a.exr"), Image::filled(2, 2, {})); });
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}
#else
TEST(Exr, IsRefusedWithoutOpenEXR) {
  OutputSettings output;
  EXPECT_NO_THROW(require_picture_files(output));
  output.exr = true;
  expect_error(ErrorCategory::kScene, {"FIRN_WITH_OPENEXR"},
               [&] { require_picture_files(output); });
  expect_error(ErrorCategory::kScene, {"FIRN_WITH_OPENEXR"},
               [] { write_exr("a.exr", with_light(2, 2)); });
}
#endif

}  // namespace
}  // namespace firn::test
