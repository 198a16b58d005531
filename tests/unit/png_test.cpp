// PNG files, text, grids of pictures, and the colour map.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>
#include <vector>

#include "firn/error.h"
#include "src/render/color_map.h"
#include "src/render/image.h"
#include "src/render/process.h"
#include "src/render/video.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/large_png.h"

namespace firn {
namespace {

class PngTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("firn_png_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

Image speckled(int width, int height) {
  Image image = Image::filled(width, height, {});
  for (std::size_t i = 0; i < image.rgb.size(); ++i)
    image.rgb[i] = static_cast<std::uint8_t>(i * 2654435761u >> 13);
  return image;
}

TEST_F(PngTest, RoundTripIsExact) {
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 17}, {31, 2}, {64, 64}}) {
    const Image image = speckled(width, height);
    write_png(path("a.png"), image);
    const Image again = read_png(path("a.png"));
    EXPECT_EQ(again.width, width);
    EXPECT_EQ(again.height, height);
    EXPECT_EQ(again.rgb, image.rgb);
  }
}

TEST_F(PngTest, LeavesNoTemporaryFile) {
  write_png(path("a.png"), speckled(8, 8));
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    EXPECT_EQ(entry.path().filename(), "a.png");
    ++files;
  }
  EXPECT_EQ(files, 1);
}

template <class Function>
void expect_file_error(Function function, const std::string& part) {
  try {
    function();
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kFile);
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

// Colours are kept where nothing is seen, for who knows no alpha.
TEST_F(PngTest, RoundTripOfAlphaIsExact) {
  Image image = speckled(31, 17);
  for (std::size_t i = 0; i < image.rgb.size() / 3; ++i)
    image.alpha.push_back(static_cast<std::uint8_t>(i));
  write_png(path("a.png"), image);
  const Image again = read_png(path("a.png"));
  EXPECT_EQ(again.rgb, image.rgb);
  EXPECT_EQ(again.alpha, image.alpha);
  image.alpha.pop_back();
  expect_file_error([&] { write_png(path("b.png"), image); }, "b.png");
}

TEST_F(PngTest, ErrorsNameThePathAndTheReason) {
  const std::string missing = path("missing/a.png");
  expect_file_error([&] { write_png(missing, speckled(4, 4)); }, missing);
  expect_file_error([&] { write_png(missing, speckled(4, 4)); }, "No such file or directory");
  expect_file_error([&] { read_png(missing); }, "No such file or directory");
  expect_file_error([&] { write_png(path("empty.png"), Image{}); }, "empty.png");
  std::ofstream(path("text.png")) << "this is not a picture";
  expect_file_error([&] { read_png(path("text.png")); }, "text.png");
}

TEST_F(PngTest, TruncatedFileIsRefused) {
  write_png(path("a.png"), speckled(64, 64));
  std::filesystem::resize_file(path("a.png"), std::filesystem::file_size(path("a.png")) / 2);
  expect_file_error([&] { read_png(path("a.png")); }, "a.png");
}

TEST_F(PngTest, WhatOnlySaysToBeLargeIsRefusedBeforeThereIsRoomForIt) {
  std::ofstream(path("large.png"), std::ios::binary) << test::png_that_says_to_be_large();
  const std::size_t before = test::peak_memory();
  expect_file_error([&] { read_png(path("large.png")); },
                    "16383 x 16384 pixels, for which its file is too short");
  EXPECT_LT(test::peak_memory(), before + (std::size_t{50} << 20));
}

TEST_F(PngTest, FullDiskIsReportedAndLeavesTheOldFile) {
  write_png(path("a.png"), speckled(4, 4));
  {
    const test::FileSizeLimit full(100);
    expect_file_error([&] { write_png(path("a.png"), speckled(64, 64)); }, "a.png");
  }
  EXPECT_EQ(read_png(path("a.png")).rgb, speckled(4, 4).rgb);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), 1);
}

TEST_F(PngTest, WhatIsNoFileIsWrittenToAndNotReplaced) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  std::filesystem::create_symlink("/dev/full", path("full.png"));
  std::filesystem::create_symlink("/dev/null", path("null.png"));
  expect_file_error([&] { write_png(path("full.png"), speckled(64, 64)); }, "full.png");
  write_png(path("null.png"), speckled(64, 64));
  EXPECT_TRUE(std::filesystem::is_symlink(path("full.png")));
  EXPECT_TRUE(std::filesystem::is_symlink(path("null.png")));
}

TEST_F(PngTest, WritersOfOneNameDoNotMeet) {
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> writers;
    for (int w = 0; w < 4; ++w)
      writers.emplace_back([&, w] {
        for (int i = 0; i < 50; ++i) try {
            write_png(path("a.png"), speckled(8 + w, 8));
          } catch (const Error&) {
            ++failed;
          }
      });
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(read_png(path("a.png")).height, 8);
}

TEST(SideBySide, GridHoldsEveryPicture) {
  const std::vector<Image> images(5, Image::filled(40, 30, {200, 10, 10}));
  const Image plain = side_by_side(images, {});
  // Three columns and two rows with gaps of 8.
  EXPECT_EQ(plain.width, 3 * (40 + 8) + 8);
  EXPECT_EQ(plain.height, 2 * (30 + 8) + 8);
  int red = 0;
  for (int y = 0; y < plain.height; ++y)
    for (int x = 0; x < plain.width; ++x) red += plain.pixel(x, y) == Rgb{200, 10, 10};
  EXPECT_EQ(red, 5 * 40 * 30);
  EXPECT_GT(side_by_side(images, {"a"}).height, plain.height);
  EXPECT_THROW(side_by_side({}, {}), Error);
}

TEST(SideBySide, SmallerPicturesAreCentred) {
  const Image grid =
      side_by_side({Image::filled(40, 30, {1, 2, 3}), Image::filled(20, 10, {4, 5, 6})}, {});
  EXPECT_EQ(grid.width, 2 * 48 + 8);
  EXPECT_EQ(grid.pixel(8 + 48 + 20, 8 + 15), (Rgb{4, 5, 6}));
  EXPECT_NE(grid.pixel(8 + 48 + 5, 8 + 15), (Rgb{4, 5, 6}));
}

// The lightness of Oklab, from its definition (Ottosson 2020), written the other way round than in
// the map.
double oklab_lightness(const ColorF& srgb) {
  const ColorF c = srgb_to_linear(srgb);
  const double l = 0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2];
  const double m = 0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2];
  const double s = 0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2];
  return 0.2104542553 * std::cbrt(l) + 0.7936177850 * std::cbrt(m) - 0.0040720468 * std::cbrt(s);
}

TEST(ColorMap, LightnessIsLinear) {
  for (int i = 0; i <= 255; ++i) {
    const double value = i / 255.0;
    // Single precision and the last digits of the published matrices (1e-7) stay below 1e-5.
    EXPECT_NEAR(oklab_lightness(color_map(value)), 0.28 + 0.64 * value, 1e-5) << value;
  }
}

// Signs differ in hue alone: lightness falls from the middle to both ends alike.
TEST(ColorMap, DivergesFromTheMiddle) {
  for (int i = 0; i <= 255; ++i) {
    const double value = i / 255.0;
    EXPECT_NEAR(oklab_lightness(diverging_color_map(value)), 0.93 - std::abs(value - 0.5), 1e-5)
        << value;
  }
  const ColorF negative = diverging_color_map(0), positive = diverging_color_map(1);
  EXPECT_GT(negative[2], 2 * negative[0]);
  EXPECT_GT(positive[0], 2 * positive[2]);
  EXPECT_EQ(diverging_color_map(std::nan("")), color_map(std::nan("")));
}

TEST(ColorMap, ClampsAndMarksMissingValues) {
  EXPECT_EQ(color_map(-3), color_map(0));
  EXPECT_EQ(color_map(7), color_map(1));
  EXPECT_EQ(color_map(std::nan("")), (ColorF{0.5f, 0.5f, 0.5f}));
}

TEST(ColorMap, TransferFunctionsAreInverse) {
  for (float x = 0; x <= 1; x += 0.01f)
    EXPECT_NEAR(linear_to_srgb(srgb_to_linear(x)), x, 8 * 12.92f * 1.2e-7f);  // slope x rounding
}

TEST(Process, ReportsStatusErrorsAndMissingPrograms) {
  EXPECT_FALSE(run_program({"firn-no-such-program"}).found);
  const ProgramResult result =
      run_program({"sh", "-c", "cat >&2; exit 3"}, "first\nsecond\nthird\n");
  EXPECT_TRUE(result.found);
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.errors, "first\nsecond\nthird\n");
  EXPECT_EQ(last_lines(result.errors, 2), "second\nthird");
  EXPECT_EQ(last_lines(result.errors, 9), "first\nsecond\nthird");
  EXPECT_EQ(last_lines("\n", 2), "");
}

TEST(Process, LargeInputDoesNotBlock) {
  const std::string text(1 << 20, 'x');  // more than a pipe holds
  EXPECT_EQ(run_program({"sh", "-c", "cat >&2"}, text).errors, text);
}

// In the folder, the pictures 3 to 6.
void write_pictures(const std::filesystem::path& folder, const Image& image) {
  std::filesystem::create_directories(folder);
  for (int i = 3; i < 7; ++i)
    write_png((folder / ("frame_00000" + std::to_string(i) + ".png")).string(), image);
}

TEST_F(PngTest, VideoHoldsTheFrames) {
  write_pictures(folder_ / "50%d", speckled(65, 33));
  if (!encode_video(path("50%d"), 3, 24, path("a.mp4"))) GTEST_SKIP() << "no ffmpeg";
  EXPECT_GT(std::filesystem::file_size(path("a.mp4")), 500u);
  EXPECT_FALSE(std::filesystem::exists(path("a.mp4.part")));
  expect_file_error([&] { encode_video(path("none"), 0, 24, path("b.mp4")); }, "b.mp4");
  EXPECT_FALSE(std::filesystem::exists(path("b.mp4")));
}

// What ffprobe says of the stream, such as "color_space=bt709".
std::string told_of(const std::string& video, const std::string& output, const std::string& key) {
  const ProgramResult result = run_program(
      {"sh", "-c",
       "ffprobe -v error -show_entries stream=" + key + " -of default=nw=1 \"$0\" > \"$1\"", video,
       output});
  std::ifstream in(output);
  std::string line;
  std::getline(in, line);
  return result.succeeded() ? line : result.errors;
}

// As fast as things happen where that can be seen, else at a rate that players have.
TEST_F(PngTest, VideosHaveARateThatCanBeShown) {
  write_pictures(folder_ / "any", speckled(64, 32));
  for (const auto& [fps, rate] : std::map<double, std::string>{{1e-5, "24/1"},
                                                               {0.5, "24/1"},
                                                               {1, "1/1"},
                                                               {25, "25/1"},
                                                               {120, "120/1"},
                                                               {1e5, "24/1"}}) {
    if (!encode_video(path("any"), 3, fps, path("a.mp4"))) GTEST_SKIP() << "no ffmpeg";
    EXPECT_EQ(told_of(path("a.mp4"), path("told"), "r_frame_rate"), "r_frame_rate=" + rate) << fps;
  }
}

// Of a large size, which players take for BT.709 where it says nothing.
TEST_F(PngTest, VideoHasTheColoursOfThePictures) {
  write_pictures(folder_ / "red", Image::filled(1280, 720, {200, 40, 40}));
  if (!encode_video(path("red"), 3, 24, path("a.mp4"))) GTEST_SKIP() << "no ffmpeg";
  for (const std::string tag : {"color_space=bt709", "color_primaries=bt709",
                                "color_transfer=iec61966-2-1", "color_range=tv"})
    EXPECT_EQ(told_of(path("a.mp4"), path("told"), tag.substr(0, tag.find('='))), tag);
  ASSERT_TRUE(run_program({"ffmpeg", "-v", "error", "-i", path("a.mp4"), "-vf",
                           "scale=in_color_matrix=bt709:in_range=tv", "-pix_fmt", "rgb24",
                           "-frames:v", "1", "-y", path("back.png")})
                  .succeeded());
  const Rgb shown = read_png(path("back.png")).pixel(640, 360);
  // Three numbers rounded to 8 bits, of which luminance has 219 steps, and one of a matrix of 1.9
  // at most from them.
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(shown[c], (Rgb{200, 40, 40}[c]), 3) << c;
}

// ffmpeg would show what is left of it.
TEST_F(PngTest, NoVideoOfADamagedPicture) {
  const std::string damaged = path("frame_000004.png");
  write_pictures(folder_, speckled(65, 33));
  std::fstream(damaged, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(std::filesystem::file_size(damaged) / 2))
      .write("????", 4);
  try {
    if (!encode_video(folder_.string(), 3, 24, path("a.mp4"))) GTEST_SKIP() << "no ffmpeg";
    FAIL() << "a video was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kFile);
  }
  EXPECT_FALSE(std::filesystem::exists(path("a.mp4")));
}

}  // namespace
}  // namespace firn
