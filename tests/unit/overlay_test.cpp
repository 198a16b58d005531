// What is written over pictures.
#include "src/render/overlay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "src/render/render.h"
#include "src/render/surroundings.h"
#include "src/scene/font_file.h"
#include "tests/support/pictures.h"

namespace firn::test {
namespace {

constexpr Rgb kWhite{255, 255, 255};

class FontTest : public testing::TestWithParam<bool> {
 protected:
  FontTest() : font_(GetParam() ? Font(std::nullopt) : Font()) {}
  Font font_;
};

struct Box {
  int left = 1 << 20, right = -1, top = 1 << 20, bottom = -1, pixels = 0;
};
Box marked(const Image& image) {
  Box box;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      if (image.pixel(x, y) == kWhite) continue;
      box.left = std::min(box.left, x), box.right = std::max(box.right, x);
      box.top = std::min(box.top, y), box.bottom = std::max(box.bottom, y);
      ++box.pixels;
    }
  return box;
}

Image written(const Font& font, std::string_view text, float scale = 2) {
  Image image = Image::filled(160, 40, kWhite);
  font.draw(image, 20, 10, text, {0, 0, 0}, scale);
  return image;
}

TEST_P(FontTest, MarksPixelsOnlyInItsBox) {
  const Box box = marked(written(font_, "Ag8"));
  EXPECT_GE(box.left, 19);
  EXPECT_LE(box.right, 20 + font_.width("Ag8", 2));
  EXPECT_GE(box.top, 9);
  EXPECT_LE(box.bottom, 10 + font_.height(2));
  EXPECT_GT(box.pixels, 100);
}

TEST_P(FontTest, IsClipped) {
  Image image = Image::filled(100, 40, kWhite);
  font_.draw(image, -30, 35, "clipped", {0, 0, 0}, 3);  // must not write outside the picture
  EXPECT_GT(marked(image).pixels, 0);
}

TEST_P(FontTest, LettersDiffer) {
  const std::string letters = "AaBbCcGgIl10o+-=.,:";
  std::vector<Image> seen;
  for (const char letter : letters) {
    const Image image = written(font_, std::string(1, letter));
    for (const Image& other : seen) EXPECT_NE(image.rgb, other.rgb) << letter;
    seen.push_back(image);
  }
}

TEST_P(FontTest, MicroIsOneCharacterAndBrokenTextIsDrawn) {
  EXPECT_GT(marked(written(font_, "\u00b5")).pixels, 10);
  EXPECT_LT(font_.width("\u00b5s", 2), font_.width("mms", 2));
  for (const std::string_view broken : {"\xc2", "\xff\xfe", "a\xe2\x82", "\xf0\x9f"}) {
    const Box box = marked(written(font_, broken));
    EXPECT_LE(box.right, 20 + font_.width(broken, 2));
  }
}

TEST_P(FontTest, GrowsWithTheScale) {
  const Box small = marked(written(font_, "H", 1.5f)), large = marked(written(font_, "H", 3));
  // Capitals of twice the height, each to a pixel.
  EXPECT_NEAR(large.bottom - large.top + 1, 2 * (small.bottom - small.top + 1), 3);
}

INSTANTIATE_TEST_SUITE_P(Bitmap, FontTest, testing::Values(true));
INSTANTIATE_TEST_SUITE_P(OfTheMachine, FontTest, testing::Values(false));

TEST(Font, OfTheMachineIsTakenWhereItIs) {
  EXPECT_EQ(Font().is_bitmap(), !find_font_file("DejaVu Sans"));
  EXPECT_TRUE(Font("no/such/font.ttf").is_bitmap());
}

Scene two_materials() {
  Scene scene = base_scene(2);
  scene.grid.domain = Domain{{0, 0, 0}, {1, 1, 0}, {}, {}};
  scene.output.resolution = {640, 360};
  scene.materials[0].name = "red";
  Material blue = scene.materials[0];
  blue.name = "blue";
  blue.color = {0.05, 0.05, 0.9};
  scene.materials.push_back(blue);
  scene.bodies.resize(2);
  scene.bodies[0].name = "first", scene.bodies[1].name = "second";
  scene.bodies[1].material = 1;
  return scene;
}

std::vector<std::string> names(const std::vector<LegendEntry>& entries) {
  std::vector<std::string> result;
  result.reserve(entries.size());
  for (const LegendEntry& entry : entries) result.push_back(entry.name);
  return result;
}
using Names = std::vector<std::string>;

TEST(Legend, NamesWhatColoursStandFor) {
  Scene scene = two_materials();
  EXPECT_EQ(names(legend_of(scene)), (Names{"red", "blue"}));
  scene.bodies[1].color = Vec3{0, 0.5, 0};  // then it is not its material's
  EXPECT_EQ(names(legend_of(scene)), (Names{"red", "second"}));
  scene.output.color = "body";
  EXPECT_EQ(names(legend_of(scene)), (Names{"first", "second"}));
  scene.output.color = "speed";
  EXPECT_TRUE(legend_of(scene).empty());
}

TEST(Legend, OfMaterialsHasThoseThatSourcesEmitAndNoOthers) {
  Scene scene = two_materials();
  scene.bodies.pop_back();
  EXPECT_EQ(names(legend_of(scene)), Names{"red"});
  scene.sources.resize(1);
  scene.sources[0].material = 1;
  EXPECT_EQ(names(legend_of(scene)), (Names{"red", "blue"}));
}

TEST(Legend, IsShownWhereItTellsSomething) {
  Scene scene = two_materials();
  EXPECT_EQ(shown_legend(scene).size(), 2u);
  scene.output.legend = Drawn::kNever;
  EXPECT_TRUE(shown_legend(scene).empty());
  scene.output.legend = Drawn::kAuto;
  scene.bodies.pop_back();
  EXPECT_TRUE(shown_legend(scene).empty());
  scene.output.legend = Drawn::kAlways;
  EXPECT_EQ(shown_legend(scene).size(), 1u);
}

// A square of each colour in the upper right corner, one below the other, and none without it.
TEST(Legend, IsInThePicture) {
  Scene scene = two_materials();
  const auto squares = [&] {
    Renderer renderer(scene);
    const Image image = renderer.render(one_particle(2, {0.1, 0.1, 0}, 0.05), 0);
    std::array<int, 2> rows{-1, -1};
    for (int y = 0; y < image.height / 2; ++y)
      for (int x = image.width / 2; x < image.width; ++x) {
        if (image.pixel(x, y) == Rgb{230, 13, 13}) rows[0] = y;
        if (image.pixel(x, y) == Rgb{13, 13, 230}) rows[1] = y;
      }
    return rows;
  };
  const auto rows = squares();
  EXPECT_GT(rows[0], 0);
  EXPECT_GT(rows[1], rows[0] + 10);
  scene.output.legend = Drawn::kNever;
  EXPECT_EQ(squares(), (std::array<int, 2>{-1, -1}));
}

TEST(Legend, LeavesOutWhatThePictureHasNoRoomFor) {
  Image image = Image::filled(200, 60, kWhite);
  const Font font;
  std::vector<LegendEntry> entries(40, {"a name that is longer than the picture is wide", {}});
  Overlay(image, font, true).draw_legend(entries);
  for (int x = 0; x < image.width; ++x) EXPECT_EQ(image.pixel(x, 59), kWhite);
  EXPECT_GT(marked(image).pixels, 0);
}

TEST(Ground, IsLightBeneathDarkMaterialsAlone) {
  Scene scene = two_materials();
  const Vec3 grey = Collider{}.color;
  EXPECT_EQ(ground_color(scene), grey);  // red is not dark
  scene.materials[0].color = {0.1, 0.08, 0.06};
  scene.materials[1].color = {0.2, 0.1, 0.1};
  EXPECT_GT(ground_color(scene)[0], grey[0] + 0.1);
  scene.materials[1].color = {0.9, 0.9, 0.9};
  EXPECT_EQ(ground_color(scene), grey);
  scene.output.color = "speed";
  EXPECT_EQ(ground_color(scene), grey);
}

TEST(TimeText, TellsPicturesThatFollowEachOtherApart) {
  EXPECT_EQ(time_text(0, 24), "t = 0.000 s");
  EXPECT_EQ(time_text(1.0 / 24, 24), "t = 0.042 s");
  EXPECT_EQ(time_text(4e-5, 24), "t = 40 µs");
  for (const double fps : {0.01, 1.0, 24.0, 1e3, 1e5, 3e5, 1e7, 1e8})
    for (int frame = 1; frame < 3000; ++frame)
      ASSERT_NE(time_text(frame / fps, fps), time_text((frame - 1) / fps, fps)) << fps;
}

}  // namespace
}  // namespace firn::test
