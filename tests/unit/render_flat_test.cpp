// Pictures of two dimensions: what must be seen where, and in which colour.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "firn/error.h"
#include "src/render/particle_color.h"
#include "src/render/render.h"
#include "src/render/view.h"
#include "tests/support/pictures.h"

namespace firn::test {
namespace {

int brightness_at(const Image& image, const FlatView& view, double x, double y) {
  return brightness(image.pixel(static_cast<int>(view.column(x)), static_cast<int>(view.row(y))));
}

// Of two bodies: the particles of the second have a quarter of the area.
TEST(RenderFlat, DiscsAreAsLargeAsTheirBodysParticles) {
  Scene scene = base_scene(2);
  scene.grid.domain = Domain{{0, 0, 0}, {1, 1, 0}, {}, {}};
  Renderer renderer(scene);
  renderer.set_captions(false);
  Snapshot both = one_particle(2, {0.2, 0.5, 0}, 0.4);
  add_particle(both, {0.8, 0.5, 0}, 0.2);
  both.body[1] = 1;
  const Image image = renderer.render(both, 0);
  int left = 0, right = 0;
  for (int x = 0; x < kWidth; ++x)
    (x < kWidth / 2 ? left : right) += is_red(image.pixel(x, kHeight / 2));
  EXPECT_GT(right, 10);
  EXPECT_NEAR(left, 2 * right, 4);  // a column at each of their sides
}

TEST(RenderFlat, ParticleLiesWhereTheViewPutsIt) {
  Scene scene = base_scene(2);
  scene.grid.domain = Domain{{0, 0, 0}, {1, 1, 0}, {}, {}};
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Image image = renderer.render(one_particle(2, {0.5, 0.75, 0}, 0.1), 0);
  // The domain with a margin of 6 % fills the height.
  const int row = static_cast<int>(kHeight * (0.5 - 0.25 / 1.06));
  EXPECT_TRUE(is_red(image.pixel(kWidth / 2, row)));
  EXPECT_FALSE(is_red(image.pixel(kWidth / 2, kHeight / 2)));
  EXPECT_FALSE(is_red(image.pixel(kWidth / 2 + 12, row)));
}

TEST(RenderFlat, TracersStandForTheParticlesOfTheirBodies) {
  Scene scene = base_scene(2);
  scene.grid.domain = Domain{{0, 0, 0}, {1, 1, 0}, {}, {}};
  scene.bodies.resize(2);
  scene.bodies[1].color = Vec3{0, 0, 0.9};
  scene.tracers.per_cell = 0.1;  // so few that they are drawn large
  Snapshot particles = one_particle(2, {0.25, 0.5, 0}, 0.2);
  add_particle(particles, {0.75, 0.5, 0}, 0.2);
  Snapshot tracers = one_particle(2, {0.5, 0.5, 0}, 0);
  tracers.body[0] = 1;
  tracers.velocity = tracers.volume = {};
  // What lies at 1/4, 1/2 and 3/4 of the width of the domain: red, blue or nothing.
  const auto seen = [&](std::uint16_t owner_of_second, const std::vector<int>& traced) {
    particles.body[1] = owner_of_second;
    scene.tracers.bodies = traced;
    Renderer renderer(scene);
    renderer.set_captions(false);
    const Image image = renderer.render(particles, 0, {}, {}, tracers);
    std::string letters;
    for (int quarter : {-1, 0, 1}) {
      const int column = kWidth / 2 + static_cast<int>(quarter * 0.25 / 1.06 * kHeight);
      const Rgb c = image.pixel(column, kHeight / 2);
      letters += is_red(c) ? 'r' : c[2] > 2 * c[0] ? 'b' : '-';
    }
    return letters;
  };
  EXPECT_EQ(seen(1, {1}), "rb-");
  EXPECT_EQ(seen(1, {}), "-b-");
  EXPECT_EQ(seen(2, {}), "-br");  // of a source
  scene.tracers.alone = true;
  EXPECT_EQ(seen(2, {}), "-b-");
  scene.output.color = "speed";  // which tracers do not have
  scene.tracers.bodies = {1};
  EXPECT_EQ(Renderer(scene).render(particles, 0, {}, {}, tracers).rgb,
            Renderer(scene).render(particles, 0).rgb);
}

TEST(RenderFlat, CollidersMoveWithTheirPose) {
  Scene scene = base_scene(2);
  scene.grid.domain = Domain{{-1, -1, 0}, {1, 1, 0}, {}, {}};
  Collider box;
  box.shape.type = ShapeType::kBox;
  box.shape.min = {-0.8, -0.1, 0};
  box.shape.max = {-0.4, 0.1, 0};
  box.color = {0, 0, 0};
  scene.colliders = {box};
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Snapshot snapshot = one_particle(2, {0, 0, 0}, 0.01);
  const FlatView view = choose_flat_view(scene, make_stage(scene, snapshot), kWidth, kHeight);
  const auto dark_at = [&](const Image& image, double x, double y) {
    return brightness_at(image, view, x, y) < 30;
  };
  EXPECT_TRUE(dark_at(renderer.render(snapshot, 0), -0.6, 0));
  ColliderPose quarter_turn;
  quarter_turn.rotation = {0, -1, 0, 1, 0,
                           0, 0,  0, 1};  // about the origin: (-0.6, 0) goes to (0, -0.6)
  const Image turned = renderer.render(snapshot, 0, {quarter_turn});
  EXPECT_TRUE(dark_at(turned, 0, -0.6));
  EXPECT_FALSE(dark_at(turned, -0.6, 0));
}

// Snow on white paper would not be seen.
TEST(RenderFlat, LightMaterialsHaveGreyPaper) {
  const auto contrast = [](const Vec3& color) {
    Scene scene = base_scene(2);
    scene.materials[0].name = "snow";
    scene.materials[0].color = color;
    scene.bodies.resize(1);
    Renderer renderer(scene);
    renderer.set_captions(false);
    const Snapshot snapshot = one_particle(2, {0, 0, 0}, 0.2);
    const FlatView view = choose_flat_view(scene, make_stage(scene, snapshot), kWidth, kHeight);
    const Image image = renderer.render(snapshot, 0);
    return std::abs(brightness_at(image, view, 0, 0) - brightness_at(image, view, 0.3, 0));
  };
  EXPECT_GT(contrast({0.95, 0.97, 1}), 80);
  EXPECT_GT(contrast({0.8, 0.8, 0.8}), 30);
  EXPECT_GT(contrast({0.1, 0.2, 0.4}), 80);
}

// A box of the plane is none of space, but a shape to cut others with.
TEST(RenderFlat, CollidersMayBeCutOfShapes) {
  Scene scene = base_scene(2);
  scene.grid.domain = Domain{{-1, -1, 0}, {1, 1, 0}, {}, {}};
  Shape whole, hole;
  whole.type = ShapeType::kBox;
  whole.min = {-0.8, -0.4, 0};
  whole.max = {0.8, 0.4, 0};
  hole.type = ShapeType::kEllipsoid;
  hole.radii = {0.3, 0.2, 0};
  Collider tray;
  tray.shape.type = ShapeType::kDifference;
  tray.shape.children = {whole, hole};
  tray.color = {0, 0, 0};
  scene.colliders = {tray};
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Snapshot snapshot = one_particle(2, {0, 0.9, 0}, 0.01);
  const FlatView view = choose_flat_view(scene, make_stage(scene, snapshot), kWidth, kHeight);
  const Image image = renderer.render(snapshot, 0);
  EXPECT_LT(brightness_at(image, view, 0.6, 0), 30);
  EXPECT_GT(brightness_at(image, view, 0, 0), 30);
}

TEST(RenderFlat, UnusableScenesAreRefused) {
  Scene scene = base_scene(2);
  scene.output.color = "sped";
  EXPECT_THROW(Renderer{scene}, Error);
  scene = base_scene(2);
  scene.output.resolution = {0, 10};
  EXPECT_THROW(Renderer{scene}, Error);
}

// Two discs that turn against each other: the one that turns to the left is red.
TEST(RenderFlat, VorticityHasItsSignAsHue) {
  Scene scene = base_scene(2);
  scene.simulation.gravity = {0, 0, 0};
  scene.grid.domain = Domain{{-1, -1, 0}, {1, 1, 0}, {}, {}};
  scene.output.color = "vorticity";
  Snapshot snapshot;
  snapshot.dimension = 2;
  snapshot.dx = scene.grid.dx;
  for (const double side : {-1, 1})
    for (int j = -4; j <= 4; ++j)
      for (int i = -4; i <= 4; ++i) {
        add_particle(snapshot, {0.5 * side + 0.05 * i, 0.05 * j, 0}, 0.06);
        snapshot.velocity[snapshot.velocity.size() - 2] = static_cast<float>(-side * 0.05 * j);
        snapshot.velocity.back() = static_cast<float>(side * 0.05 * i);
      }
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Image image = renderer.render(snapshot, 0);
  const FlatView view = choose_flat_view(scene, make_stage(scene, snapshot), kWidth, kHeight);
  const auto color_at = [&](double x) {
    return image.pixel(static_cast<int>(view.column(x)), static_cast<int>(view.row(0)));
  };
  const Rgb right = color_at(0.5), left = color_at(-0.5);
  EXPECT_GT(right[0], 2 * right[2]);
  EXPECT_GT(left[2], 2 * left[0]);
}

// A pan hotter than anything at the start is known from the scene, so the range reaches to it.
TEST(RenderFlat, TemperaturesReachFromTheColdestToTheHottestOfTheScene) {
  Scene scene = base_scene(2);
  scene.simulation.gravity = {0, 0, 0};
  scene.output.color = "temperature";
  Collider pan;
  pan.shape.center = {0, -5, 0};
  pan.shape.radius = 0.1;
  pan.temperature = ScalarField{450, ""};
  scene.colliders = {pan};
  Snapshot snapshot = one_particle(2, {0.25, 0.5, 0}, 0.2);
  add_particle(snapshot, {0.75, 0.5, 0}, 0.2);
  snapshot.temperature = {280, 320};
  const ParticleColors colors(scene, snapshot, make_stage(scene, snapshot));
  EXPECT_EQ(colors.range.low, 280);
  EXPECT_EQ(colors.range.high, 450);
  EXPECT_EQ(colors(snapshot)[1], colors.color_at((320.0 - 280) / (450 - 280)));
  EXPECT_EQ(colors.label(), "temperature, K");
  scene.output.color = "phase";
  snapshot.phase = {0, 1};
  const ParticleColors phases(scene, snapshot, make_stage(scene, snapshot));
  EXPECT_EQ(phases(snapshot)[0], phases.color_at(0));
  EXPECT_EQ(phases(snapshot)[1], phases.color_at(1));
}

// By weight where there is any; else by what the stiffest bears at some hundredths of strain, or
// all of a press would have one of two colours.
TEST(RenderFlat, PressuresReachToWhatAScenesMaterialBears) {
  Scene scene = base_scene(2);
  scene.output.color = "pressure";
  scene.materials[0].youngs_modulus = 1e6;
  Snapshot snapshot = one_particle(2, {0.25, 0.5, 0}, 0.2);
  snapshot.pressure = {0};
  const Stage stage = make_stage(scene, snapshot);
  EXPECT_EQ(ParticleColors(scene, snapshot, stage).range.low, 0);
  scene.simulation.gravity = {0, 0, 0};
  const ParticleColors colors(scene, snapshot, make_stage(scene, snapshot));
  EXPECT_EQ(colors.range.low, -5e4);
  EXPECT_EQ(colors.range.high, 5e4);
  // Of an impact: rho c v.
  Stage moving = make_stage(scene, snapshot);
  moving.speed = 0.5;
  const double impact = std::sqrt(scene.materials[0].density * 1e6) * moving.speed;
  ASSERT_LT(impact, 4e4);
  EXPECT_NEAR(ParticleColors(scene, snapshot, moving).range.high, impact, 0.1 * impact);
}

// What expressions say of walls, colliders and sources counts as well, in their bounds and in the
// time of the run.
TEST(RenderFlat, TemperaturesReachToWhatExpressionsSay) {
  Scene scene = base_scene(2);
  scene.simulation.frames = 48;
  scene.simulation.fps = 24;
  scene.output.color = "temperature";
  Source tap;
  tap.shape.type = ShapeType::kBox;
  tap.shape.min = {1, 0, 0};
  tap.shape.max = {2, 1, 0};
  tap.temperature = ScalarField{0, "400 + 50 * x"};
  scene.sources = {tap};
  Collider pan;
  pan.shape.center = {0, -5, 0};
  pan.shape.radius = 0.1;
  pan.temperature = ScalarField{0, "250 - 10 * t"};
  scene.colliders = {pan};
  Snapshot snapshot = one_particle(2, {0.25, 0.5, 0}, 0.2);
  snapshot.temperature = {300};
  const ParticleColors colors(scene, snapshot, make_stage(scene, snapshot));
  EXPECT_EQ(colors.range.low, 230);
  EXPECT_EQ(colors.range.high, 500);
}

TEST(RenderFlat, ColorRangeStaysThatOfTheFirstPicture) {
  Scene scene = base_scene(2);
  scene.simulation.gravity = {0, 0, 0};
  scene.grid.domain = Domain{{0, 0, 0}, {1, 1, 0}, {}, {}};
  scene.output.color = "speed";
  Snapshot slow = one_particle(2, {0.5, 0.5, 0}, 0.2), fast = slow;
  slow.velocity = {1, 0};
  fast.velocity = {10, 0};
  Renderer renderer(scene);
  renderer.set_captions(false);
  const Rgb first = renderer.render(slow, 0).pixel(kWidth / 2, kHeight / 2);
  EXPECT_EQ(renderer.render(fast, 0).pixel(kWidth / 2, kHeight / 2),
            first);  // both at the upper end
  scene.output.color_range = {0, 20};
  Renderer wider(scene);
  wider.set_captions(false);
  EXPECT_NE(wider.render(fast, 0).pixel(kWidth / 2, kHeight / 2), first);
  scene.output.color_range = {0, 200};  // of which both are next to nothing
  Renderer widest(scene);
  widest.set_captions(false);
  EXPECT_NE(widest.render(slow, 0).pixel(kWidth / 2, kHeight / 2), first);
}

// A profile fills the picture below it, and where it is cut away nothing.
TEST(Flat, HeightFieldsAreFilled) {
  Scene scene = base_scene(2);
  scene.grid.domain = Domain{{0, 0, 0}, {1.6, 0.9, 0}, {}, {}};
  Collider hill;
  hill.color = {0, 0.5, 0};
  hill.shape.type = ShapeType::kHeightField;
  hill.shape.height = {0, "0.3 + 0.3 * x"};
  hill.shape.min = {0, 0, 0};
  hill.shape.max = {1, 0, 0};
  hill.shape.base = 0.1;
  scene.colliders = {hill};
  Renderer renderer(scene);
  renderer.set_captions(false);
  Snapshot nothing;
  nothing.dimension = 2;
  const Image image = renderer.render(nothing, 0);
  const double pixels = kHeight / (0.9 * 1.06), left = 0.8 - 0.5 * kWidth / pixels;
  const auto is_hill = [&](double x, double y) {
    const Rgb color = image.pixel(static_cast<int>((x - left) * pixels),
                                  static_cast<int>((0.45 - y) * pixels + 0.5 * kHeight));
    return color[1] > 100 && color[0] < 20;
  };
  EXPECT_TRUE(is_hill(0.1, 0.28));
  EXPECT_TRUE(is_hill(0.9, 0.52));
  EXPECT_FALSE(is_hill(0.1, 0.38));
  EXPECT_FALSE(is_hill(0.5, 0.05));
  EXPECT_FALSE(is_hill(1.1, 0.3));
}

}  // namespace
}  // namespace firn::test
