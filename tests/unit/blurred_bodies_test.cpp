// Bodies in pictures with an open shutter that move otherwise than their scene says.
#include <gtest/gtest.h>

#include "firn/render.h"
#include "firn/simulation.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

// Where in the picture the ram is along x, in pixels, on average.
double place_of_ram(double blur, bool by_call) {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {1, 0.3, 0}))};
  scene.output.resolution = {320, 320};
  scene.output.motion_blur = blur;
  Collider ram = collider("ram", sphere({0.2, 0.8, 0}, 0.1), BoundaryType::kSeparate);
  ram.color = {1, 0, 0};
  const Keyframes rest{{0, 1}, {{0, 0, 0}, {0, 0, 0}}, {}, {}};
  const Keyframes jump{{0, 0.02, 1}, {{0, 0, 0}, {0.5, 0, 0}, {0.5, 0, 0}}, {}, {}};
  ram.motion = by_call ? rest : jump;
  scene.colliders = {ram};
  Simulation simulation = simulate(scene);
  if (by_call) simulation.set_collider_motion("ram", jump);
  simulation.advance_frame();
  const Image image = SceneRenderer(scene).render(simulation);
  double sum = 0;
  int count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const Rgb pixel = image.pixel(x, y);
      if (pixel[0] < 120 || pixel[1] > 90) continue;
      sum += x;
      ++count;
    }
  EXPECT_GT(count, 100);
  return sum / count;
}

TEST(BlurredBodies, AreWhereTheProgramHasMovedThem) {
  const double there = place_of_ram(0, false);
  EXPECT_NEAR(place_of_ram(0, true), there, 1);
  EXPECT_NEAR(place_of_ram(0.5, false), there, 1);
  EXPECT_NEAR(place_of_ram(0.5, true), there, 1);
}

}  // namespace
}  // namespace firn::test
