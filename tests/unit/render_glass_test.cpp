// Walls of the domain as panes of glass.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/render/glass.h"
#include "src/render/render.h"
#include "src/render/surroundings.h"
#include "tests/support/pictures.h"

namespace firn::test {
namespace {

const V3d kUp{{0, 1, 0}};

Scene tank_scene() {
  Scene scene = base_scene(3);
  scene.grid.domain = Domain{{-1, -1, -1}, {1, 1, 1}, {}, {}};
  scene.materials[0].model = MaterialModel::kIncompressible;
  Camera camera;
  camera.eye = {0, 0, 8};
  camera.fov = 0.5;
  scene.output.camera = camera;
  return scene;
}

std::optional<GlassBox> glass_of(const Scene& scene, const V3d& up = kUp) {
  return shown_glass(scene, up, Projection(*scene.output.camera, 1));
}

TEST(Glass, IsShownByItselfAboutLiquidsThatTheDomainIsSeenOf) {
  Scene scene = tank_scene();
  EXPECT_TRUE(glass_of(scene));
  scene.materials[0].model = MaterialModel::kWeaklyCompressible;
  EXPECT_TRUE(glass_of(scene));
  scene.materials[0].model = MaterialModel::kSnow;
  EXPECT_FALSE(glass_of(scene));
  scene.output.glass = Drawn::kAlways;
  EXPECT_TRUE(glass_of(scene));
  scene = tank_scene();
  scene.output.camera->target = {20, 0, 0};
  EXPECT_FALSE(glass_of(scene));
  scene.output.glass = Drawn::kAlways;
  EXPECT_TRUE(glass_of(scene));
  scene.output.glass = Drawn::kNever;
  EXPECT_FALSE(glass_of(scene));
  scene = tank_scene();
  scene.grid.domain.reset();
  EXPECT_FALSE(glass_of(scene));
}

TEST(Glass, IsWhereWallsAreButTheFloor) {
  Scene scene = tank_scene();
  auto& faces = scene.grid.domain->boundary;
  faces.fill(BoundaryType::kSlip);
  EXPECT_EQ(glass_of(scene)->panes, (std::array{true, true, false, true, true, true}));
  EXPECT_EQ(glass_of(scene, {{0, 0, -1}})->panes,
            (std::array{true, true, true, true, true, false}));
  faces[3] = BoundaryType::kOpen;
  faces[4] = faces[5] = BoundaryType::kPeriodic;
  EXPECT_EQ(glass_of(scene)->panes, (std::array{true, true, false, false, false, false}));
  faces[0] = faces[1] = BoundaryType::kOpen;
  EXPECT_FALSE(glass_of(scene));
}

TEST(Glass, StandsForTheOutlineUnlessThatIsAskedFor) {
  Scene scene = tank_scene();
  const auto outlines = [&] {
    return shown_outlines(scene, kUp, Projection(*scene.output.camera, 1));
  };
  ASSERT_EQ(outlines().size(), 1u);
  EXPECT_EQ(outlines()[0].faces, glass_of(scene)->panes);
  scene.output.outline = Drawn::kAlways;
  EXPECT_EQ(outlines().size(), 2u);
  scene.output.outline = Drawn::kAuto;
  scene.output.glass = Drawn::kNever;
  ASSERT_EQ(outlines().size(), 1u);
  EXPECT_EQ(outlines()[0].faces, (std::array{true, true, true, true, true, true}));
}

// Of a ray through a box of all six panes whose light without it is `light`.
float seen(Through through, const V3f& eye, const V3f& direction, float light,
           float distance = 100) {
  GlassBox box{{{-1, -1, -1}}, {{1, 1, 1}}, {}, 0.1f};
  box.panes.fill(true);
  const V3p color = through_glass(box, through, V3p::filled(Lanes(light)), eye, spread(direction),
                                  Lanes(distance), normalized(V3f{{1, 1, 1}}), {{0, 1, 0}});
  return color[1][0];
}

TEST(Glass, LetsMostLightThroughAndReflectsMoreTheFlatterItIsMet) {
  const V3f eye{{0, 0, 8}}, straight{{0, 0, -1}};
  // Of an index of 1.5, two surfaces reflect 2 * 0.04 / 1.04 of the sky; 2 % of the green are
  // absorbed.
  const float kept = (1 - 0.08f / 1.04f) * 0.98f;
  const auto passed = [](Through through, const V3f& from, const V3f& way) {
    return seen(through, from, way, 1) - seen(through, from, way, 0);
  };
  for (const float light :
       {passed(Through::kInto, eye, straight), passed(Through::kOutOf, {{0, 0, 0}}, straight)}) {
    EXPECT_GE(light, kept);
    EXPECT_LT(light, 0.98f * (1 - 0.3f * 0.08f / 1.04f));  // of the ground 0.3 as much
  }
  // Through the right pane alone, at 9.5 degrees to it.
  const V3f beside{{1.5f, 0, 3}}, flat{{-0.3f, 0, -1.8f}};
  EXPECT_GT(passed(Through::kInto, beside, flat), 0);
  EXPECT_LT(passed(Through::kInto, beside, flat), 0.5f * kept);
  EXPECT_GT(seen(Through::kInto, eye, straight, 0), 0);
  EXPECT_GT(seen(Through::kInto, beside, flat, 0), 3 * seen(Through::kInto, eye, straight, 0));
}

TEST(Glass, IsBeforeOrBehindWhatTheRayMeets) {
  const V3f eye{{0, 0, 8}}, way{{0, 0, -1}};
  EXPECT_NE(seen(Through::kInto, eye, way, 1), 1);
  EXPECT_EQ(seen(Through::kInto, eye, way, 1, 6), 1);      // what is met stands before the pane
  EXPECT_NE(seen(Through::kInto, eye, way, 1, 6.95f), 1);  // or touches it from within
  EXPECT_NE(seen(Through::kOutOf, eye, way, 1), 1);        // the pane at the back
  EXPECT_EQ(seen(Through::kOutOf, eye, way, 1, 8), 1);     // is behind what stands in the tank
  EXPECT_NE(seen(Through::kOutOf, {{0, 0, 0}}, way, 1), 1);
  EXPECT_EQ(seen(Through::kOutOf, {{0, 0, 0}}, way, 1, 0.9f), 1);
  EXPECT_EQ(seen(Through::kInto, {{3, 0, 8}}, way, 1), 1);  // beside the box
  EXPECT_EQ(seen(Through::kInto, eye, -way, 1), 1);         // behind the eye
}

#if FIRN_WITH_EMBREE

Image picture(const Scene& scene, const Snapshot& snapshot) {
  Renderer renderer(scene);
  renderer.set_captions(false);
  return renderer.render(snapshot, 0);
}

int off(const Image& a, const Image& b, int x, int y) {
  int sum = 0;
  for (std::size_t c = 0; c < 3; ++c) sum += std::abs(a.pixel(x, y)[c] - b.pixel(x, y)[c]);
  return sum;
}

// Of a ball within, and one before the tank.
TEST(Glass, HidesNothing) {
  Scene scene = tank_scene();
  for (const double z : {0.0, 3.0}) {
    const Snapshot ball = one_particle(3, {0, 0, z}, 0.5);
    scene.output.glass = Drawn::kAlways;
    const Image with = picture(scene, ball);
    scene.output.glass = Drawn::kNever;
    scene.output.outline = Drawn::kNever;
    const Image without = picture(scene, ball);
    EXPECT_TRUE(is_red(with.pixel(kWidth / 2, kHeight / 2)));
    if (z > 0)
      EXPECT_EQ(off(with, without, kWidth / 2, kHeight / 2), 0);
    else
      EXPECT_GT(off(with, without, kWidth / 2, kHeight / 2), 0);
    EXPECT_EQ(off(with, without, 3, 3), 0);                          // beside the tank
    EXPECT_GT(off(with, without, kWidth / 2 + 12, kHeight / 2), 0);  // panes alone
  }
}

#endif

}  // namespace
}  // namespace firn::test
