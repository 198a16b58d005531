// The light of hot particles: Planck's law through the CIE 1931 observer against published
// chromaticities, and what it adds to pictures.
#include "src/render/black_body.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "src/render/render.h"

namespace firn {
namespace {

// --- the colour ---

struct Chromaticity {
  double kelvin, x, y;
};

// Illuminant A is defined as the black body of 2856 K; the others are published points of the
// Planckian locus. Four digits in the matching functions, summed in steps of 10 nm, leave some
// 2e-4.
TEST(BlackBody, HasThePlanckianLocus) {
  for (const Chromaticity& c : {Chromaticity{1000, 0.6528, 0.3444},
                                {2000, 0.5267, 0.4133},
                                {2856, 0.4476, 0.4074},
                                {6500, 0.3135, 0.3236}}) {
    const auto [X, Y, Z] = black_body_xyz(c.kelvin);
    EXPECT_NEAR(X / (X + Y + Z), c.x, 3e-4) << c.kelvin;
    EXPECT_NEAR(Y / (X + Y + Z), c.y, 3e-4) << c.kelvin;
  }
}

double luminance(const ColorF& c) {
  return 0.2126 * static_cast<double>(c[0]) + 0.7152 * static_cast<double>(c[1]) +
         0.0722 * static_cast<double>(c[2]);
}

TEST(BlackBody, GrowsBrighterWithTemperature) {
  const Glow glow(1400);
  for (double T = 450; T < 9990; T += 7) {
    EXPECT_LT(black_body_xyz(T)[1], black_body_xyz(T + 7)[1]) << T;
    EXPECT_LT(luminance(glow(T)), luminance(glow(T + 7))) << T;
  }
}

TEST(BlackBody, ColdMatterIsDark) {
  const Glow glow(1400);
  for (const double T : {0.0, 300.0, 449.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(glow(T), ColorF{}) << T;
  // Nothing is seen to begin there: less than half a step of 8 bits, which near black is linear.
  const ColorF first = glow(450);
  EXPECT_LT(*std::max_element(first.begin(), first.end()), 0.5 / 255 / 12.92);
  EXPECT_GT(luminance(glow(800)), 0.01) << "the Draper point: dull red";
}

TEST(BlackBody, CameraIsSetForTheHottest) {
  EXPECT_EQ(Glow(400)(1400), Glow(1400)(1400));
  EXPECT_NEAR(luminance(Glow(3000)(3000)), luminance(Glow(6000)(6000)), 0.02);
  EXPECT_LT(luminance(Glow(3000)(1400)), 0.1 * luminance(Glow(1400)(1400)));
}

// --- pictures ---

constexpr int kSide = 64;

Scene rock_scene(int dimension) {
  Scene scene;
  scene.simulation.dimension = dimension;
  scene.simulation.integrator = Integrator::kThermal;
  scene.simulation.gravity = {0, 0, 0};
  scene.grid.dx = 0.1;
  scene.output.color = "glow";
  scene.output.resolution = {kSide, kSide};
  if (dimension == 2) scene.grid.domain = Domain{{-1, -1, 0}, {1, 1, 0}, {}, {}};
  if (dimension == 3) scene.output.camera = Camera{{0, 0, 3}, {0, 0, 0}, {0, 1, 0}, 0.7};
  Material rock;
  rock.color = {0.3, 0.3, 0.3};
  scene.materials = {rock};
  return scene;
}

// One ball in the middle of the picture.
Snapshot ball(int dimension, float kelvin) {
  Snapshot s;
  s.dimension = dimension;
  s.id = {0};
  s.material = s.body = {0};
  s.position.assign(static_cast<std::size_t>(dimension), 0);
  s.velocity = s.position;
  s.mass = {1};
  s.volume = {0.2f};
  s.temperature = {kelvin};
  return s;
}

Image picture(const Scene& scene, const Snapshot& snapshot) {
  Renderer renderer(scene);
  renderer.set_captions(false);
  return renderer.render(snapshot, 0);
}
Rgb middle(const Image& image) { return image.pixel(kSide / 2, kSide / 2); }

std::vector<int> dimensions() {
#if FIRN_WITH_EMBREE
  return {2, 3};
#else
  return {2};
#endif
}

TEST(RenderGlow, ColdRockShowsItsOwnColour) {
  for (const int dimension : dimensions()) {
    Scene scene = rock_scene(dimension);
    const Image glowing = picture(scene, ball(dimension, 300));
    scene.output.color = "material";
    EXPECT_EQ(glowing.rgb, picture(scene, ball(dimension, 300)).rgb) << dimension;
  }
}

TEST(RenderGlow, LavaIsOrangeAndOnlyEverBrighter) {
  for (const int dimension : dimensions()) {
    SCOPED_TRACE(dimension);
    const Scene scene = rock_scene(dimension);
    Rgb before = middle(picture(scene, ball(dimension, 300)));
    for (const float kelvin : {900.0f, 1100.0f, 1250.0f, 1400.0f}) {
      const Rgb now = middle(picture(scene, ball(dimension, kelvin)));
      EXPECT_GE(now[0], before[0]) << kelvin;
      EXPECT_GE(now[1], before[1]) << kelvin;
      EXPECT_GT(now[0] + now[1], before[0] + before[1]) << kelvin;
      before = now;
    }
    EXPECT_GT(before[0], 240);
    EXPECT_GT(before[1], 140) << "redder than orange";
    EXPECT_LT(before[1], 235) << "paler than yellow";
    EXPECT_LT(2 * before[2], before[1]) << "white";
  }
}

}  // namespace
}  // namespace firn
