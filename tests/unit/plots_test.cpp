// Plots: what is drawn is looked for by its colour in the picture that gnuplot made.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "firn/error.h"
#include "src/diagnostics/plots.h"
#include "src/render/image.h"
#include "src/render/process.h"

namespace firn {
namespace {

class PlotsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!run_program({"gnuplot", "--version"}).found) GTEST_SKIP() << "no gnuplot";
    path_ = (std::filesystem::temp_directory_path() /
             ("firn_plot_" + std::to_string(getpid()) + ".png"))
                .string();
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_;
};

constexpr Rgb kFirstColor{0x00, 0x72, 0xb2}, kSecondColor{0xd5, 0x5e, 0x00};

int count(const Image& image, Rgb color) {
  int n = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) n += image.pixel(x, y) == color;
  return n;
}

PlotSpec example() {
  PlotSpec plot{"Energy of 'a \"$ball\"' `id` @x", "t, s", "E_k, J", false, {}};
  Series kinetic{"kinetic", {}, {}}, elastic{"elastic_part", {}, {}};
  for (int i = 0; i <= 100; ++i) {
    kinetic.x.push_back(0.01 * i);
    kinetic.y.push_back(std::exp(-0.05 * i));
    elastic.x.push_back(0.01 * i);
    elastic.y.push_back(0.5 + 0.3 * std::sin(0.2 * i));
  }
  plot.series = {kinetic, elastic};
  return plot;
}

TEST_F(PlotsTest, DrawsEverySeries) {
  ASSERT_TRUE(write_plot(example(), path_));
  const Image image = read_png(path_);
  EXPECT_EQ(image.width, 960);
  EXPECT_EQ(image.height, 540);
  // A curve crosses more than half of the picture.
  EXPECT_GT(count(image, kFirstColor), image.width / 2);
  EXPECT_GT(count(image, kSecondColor), image.width / 2);
}

// Curves along the upper edge, below one another: between the first and the last there is no text.
TEST_F(PlotsTest, KeyHidesNoCurve) {
  PlotSpec plot{"Curves", "t", "y", false, {}};
  for (int i = 0; i < 5; ++i)
    plot.series.push_back({"a curve with a long name, the number " + std::to_string(i),
                           {0, 1},
                           {1 - 0.1 * i, 1 - 0.1 * i}});
  plot.from_zero = true;
  ASSERT_TRUE(write_multi_panel({plot, plot}, path_));
  const Image image = read_png(path_);
  constexpr Rgb kLastColor{0xe6, 0x9f, 0x00};
  const auto row_of = [&](Rgb color) {  // of the first panel, with a line across most of it
    for (int y = 0; y < image.height / 2; ++y) {
      int pixels = 0;
      for (int x = 0; x < image.width; ++x) pixels += image.pixel(x, y) == color;
      if (pixels > image.width / 2) return y;
    }
    return -1;
  };
  const int first = row_of(kFirstColor), last = row_of(kLastColor);
  ASSERT_GT(first, 0);
  ASSERT_GT(last, first + 20);
  int text = 0;
  for (int y = first - 4; y <= last; ++y)
    for (int x = image.width / 6; x < image.width; ++x) {
      const Rgb c = image.pixel(x, y);
      text += std::max({c[0], c[1], c[2]}) < 0x50;  // axes and curves are lighter in one colour
    }
  EXPECT_EQ(text, 0);
}

TEST_F(PlotsTest, PanelsAreStacked) {
  PlotSpec logarithmic = example();
  logarithmic.log_y = true;
  ASSERT_TRUE(write_multi_panel({example(), logarithmic, example()}, path_));
  EXPECT_EQ(read_png(path_).height, 3 * 320);
}

TEST_F(PlotsTest, OddDataIsNoError) {
  PlotSpec plot = example();
  plot.log_y = true;
  plot.series[0].y[3] = std::nan("");
  plot.series[0].y[4] = 0;
  plot.series[1] = {"constant", {1, 2}, {5, 5}};
  EXPECT_TRUE(write_plot(plot, path_));
  plot.series = {{"one point", {1}, {2}}};
  EXPECT_TRUE(write_plot(plot, path_));
  plot.series = {{"nothing", {}, {}}, {"infinite", {1}, {INFINITY}}};
  EXPECT_TRUE(write_plot(plot, path_));
  plot.series.clear();
  plot.log_y = false;
  EXPECT_TRUE(write_plot(plot, path_));
}

TEST_F(PlotsTest, ErrorsAreNamed) {
  PlotSpec plot = example();
  try {
    write_plot(plot, "/firn-no-such-folder/a.png");
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kFile);
    EXPECT_NE(std::string(error.what()).find("/firn-no-such-folder/a.png"), std::string::npos);
  }
  plot.series[0].y.pop_back();
  EXPECT_THROW(write_plot(plot, path_), Error);
  EXPECT_THROW(write_multi_panel({}, path_), Error);
}

}  // namespace
}  // namespace firn
