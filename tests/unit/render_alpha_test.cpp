// Pictures without their background: how much of a pixel is seen, and the light of what is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "src/render/color_map.h"
#include "src/render/render.h"
#include "tests/support/pictures.h"

namespace firn::test {
namespace {

// "over" of what is half there.
TEST(ImageAlpha, GrowsWhereSomethingIsDrawn) {
  Image image = Image::filled(2, 1, {10, 20, 30});
  image.alpha = {0, 255};
  image.blend_pixel(0, 0, {200, 100, 50}, 0.5f);
  EXPECT_EQ(image.pixel(0, 0), (Rgb{200, 100, 50}));  // nothing is beneath
  EXPECT_EQ(image.alpha[0], 128);
  image.blend_pixel(1, 0, {200, 100, 50}, 0.5f);
  EXPECT_EQ(image.pixel(1, 0), (Rgb{105, 60, 40}));
  EXPECT_EQ(image.alpha[1], 255);
  image.set_pixel(0, 0, {1, 2, 3});
  EXPECT_EQ(image.alpha[0], 255);
}

TEST(ImageAlpha, OfAMeanIsThatOfWhatIsSeen) {
  MeanImage mean;
  Image image = Image::filled(2, 1, {200, 100, 50});
  image.alpha = {255, 0};
  image.light = {2, 1, 0.5f, 1, 0, 0, 0, 0};
  mean.add(image);
  image = Image::filled(2, 1, {7, 7, 7});  // of the background
  image.alpha = {0, 0};
  image.light = {0, 0, 0, 0, 0, 0, 0, 0};
  mean.add(image);
  const Image found = mean.image();
  EXPECT_EQ(found.pixel(0, 0), (Rgb{200, 100, 50}));
  EXPECT_EQ(found.alpha, (std::vector<std::uint8_t>{128, 0}));
  EXPECT_EQ(found.light, (std::vector<float>{1, 0.5f, 0.25f, 0.5f, 0, 0, 0, 0}));
}

#if FIRN_WITH_EMBREE

class RenderAlpha : public testing::Test {
 protected:
  RenderAlpha() {
    Camera camera;
    camera.eye = {0, 0, 5};
    scene_.output.camera = camera;
  }
  Image picture(bool alpha, bool exr) const {
    Scene scene = scene_;
    scene.output.alpha = alpha;
    scene.output.exr = exr;
    Renderer renderer(scene);
    renderer.set_captions(false);
    return renderer.render(particles_, 0);
  }
  static std::size_t at(int x, int y) { return static_cast<std::size_t>(y) * kWidth + x; }

  Scene scene_ = base_scene(3);
  Snapshot particles_ = one_particle(3, {0, 0, 0}, 1);
};

TEST_F(RenderAlpha, IsWhatTheBallCovers) {
  const Image image = picture(true, false), opaque = picture(false, false);
  ASSERT_EQ(image.alpha.size(), std::size_t{kWidth} * kHeight);
  EXPECT_TRUE(opaque.alpha.empty());
  EXPECT_TRUE(image.light.empty());
  double covered = 0;
  bool any_between = false;
  for (std::size_t i = 0; i < image.alpha.size(); ++i) {
    covered += image.alpha[i] / 255.0;
    any_between = any_between || (image.alpha[i] > 0 && image.alpha[i] < 255);
    if (image.alpha[i] != 0 && image.alpha[i] != 255) continue;
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(image.rgb[3 * i + c], opaque.rgb[3 * i + c], 1);
  }
  EXPECT_TRUE(any_between) << "edges are smooth";
  // A ball of radius r at distance d: a disc with the tangent r / sqrt(d^2 - r^2).
  const double pixels =
      0.5 / std::sqrt(25 - 0.25) / std::tan(0.5 * scene_.output.camera->fov) * kHeight / 2;
  EXPECT_NEAR(covered, 3.14159265 * pixels * pixels, 3.2 * pixels);  // half a pixel of its rim
  EXPECT_EQ(image.alpha[at(2, 2)], 0);
  // At the edge the colour is that of the ball alone.
  for (std::size_t i = 0; i < image.alpha.size(); ++i)
    if (image.alpha[i] > 0) {
      EXPECT_TRUE(is_red({image.rgb[3 * i], image.rgb[3 * i + 1], image.rgb[3 * i + 2]})) << i;
    }
}

// Of colours below the knee of the tone mapping, which changes brighter ones.
TEST_F(RenderAlpha, LightIsThatOfThePicture) {
  scene_.materials[0].color = {0.5, 0.25, 0.1};
  const Image image = picture(false, true);
  ASSERT_EQ(image.light.size(), std::size_t{4} * kWidth * kHeight);
  EXPECT_TRUE(image.alpha.empty());
  const Image without = picture(false, false);
  int seen = 0;
  for (std::size_t i = 0; i < image.light.size() / 4; ++i) {
    const float* light = &image.light[4 * i];
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(image.rgb[3 * i + c], without.rgb[3 * i + c], 1);
    if (light[3] == 0) {
      for (int c = 0; c < 3; ++c) EXPECT_EQ(light[c], 0);
    }
    if (light[3] < 1 || std::max({light[0], light[1], light[2]}) > 0.5f) continue;
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(image.rgb[3 * i + c], 255 * linear_to_srgb(light[c]), 1.5);
    ++seen;
  }
  EXPECT_GT(seen, 100);
}

// The ground is before the background where it is near, and fades into it.
TEST_F(RenderAlpha, GroundIsSeen) {
  scene_.colliders = {ground_collider()};
  particles_ = ball(500, {0, 0.5, 0}, 0.4);
  scene_.output.camera->eye = {0, 1, 5};
  const Image image = picture(true, true);
  EXPECT_EQ(image.alpha[at(kWidth / 2, kHeight - 1)], 255);
  EXPECT_EQ(image.alpha[at(kWidth / 2, 0)], 0);
  for (std::size_t i = 0; i < image.alpha.size(); ++i)
    EXPECT_NEAR(image.alpha[i], 255 * image.light[4 * i + 3], 0.51);
}

// Panes let most of the background through, and show what they reflect.
TEST_F(RenderAlpha, PanesAreNearlyClear) {
  scene_.grid.domain = Domain{{-1, -1, -1}, {1, 1, 1}, {}, {}};
  scene_.output.glass = Drawn::kAlways;
  scene_.output.outline = Drawn::kNever;
  scene_.output.camera->eye = {0, 0.3, 6};
  const Image image = picture(true, true);
  const float through = image.light[4 * at(kWidth / 2 + 15, kHeight / 2) + 3];
  EXPECT_GT(through, 0.05f);
  EXPECT_LT(through, 0.6f);
  EXPECT_EQ(image.alpha[at(2, 2)], 0);
}

#endif

}  // namespace
}  // namespace firn::test
