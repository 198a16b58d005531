// Rigid bodies without any material beside them, nor a material in the scene: they fall, hit the
// ground and each other, and lie still.
#include <gtest/gtest.h>

#include <cmath>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "tests/support/device.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81, kHeight = 0.6;  // of the ball's centre; its radius is 0.15

Scene ball_above_box(int dimension, Integrator integrator) {
  Scene scene = empty_scene(dimension, 0.05);
  scene.simulation.integrator = integrator;
  scene.time.dt_max = 1e-3;
  if (integrator == Integrator::kIncompressible) scene.transfer.kernel = 1;
  const double z = dimension == 3 ? 0.4 : 0;
  scene.colliders = {
      collider("ground", ground(), BoundaryType::kSeparate),
      collider("ball", sphere({0.3, kHeight, z}, 0.15), BoundaryType::kSeparate),
      collider("box", box({1.2, 0.5, z - 0.1}, {1.4, 0.7, z + 0.1}), BoundaryType::kSeparate)};
  for (const std::size_t body : {1, 2}) scene.colliders[body].dynamics = Dynamics{.density = 500};
  return scene;
}

void expect_falls_and_rests(const Scene& scene, const RunOptions& options) {
  Simulation simulation(scene, options);
  EXPECT_EQ(simulation.stats().particles, 0);
  constexpr double kAir = 0.2;  // s, before anything is hit
  simulation.advance_until(kAir);
  const double fallen = -0.5 * kGravity * kAir * kAir;
  for (const std::size_t body : {1, 2}) {
    EXPECT_NEAR(simulation.colliders()[body].translation[1], fallen, 1e-6);
    EXPECT_NEAR(simulation.colliders()[body].velocity[1], -kGravity * kAir, 1e-6);
  }
  const auto saved = simulation.save_state();
  simulation.advance_until(1);
  const double cell = scene.grid.dx;
  EXPECT_NEAR(simulation.colliders()[1].translation[1], 0.15 - kHeight, 0.2 * cell);
  EXPECT_NEAR(simulation.colliders()[2].translation[1], -0.5, 0.2 * cell);
  for (const std::size_t body : {1, 2})
    EXPECT_LT(std::abs(simulation.colliders()[body].velocity[1]), 0.05);
  Simulation resumed(scene, options);
  resumed.load_state(saved);
  resumed.advance_until(1);
  EXPECT_TRUE(resumed.save_state() == simulation.save_state());
}

TEST(RigidAlone, FallAndRest) {
  for (const int dimension : {2, 3})
    for (const Integrator integrator : {Integrator::kExplicit, Integrator::kIncompressible}) {
      SCOPED_TRACE(testing::Message() << dimension << "D, " << static_cast<int>(integrator));
      expect_falls_and_rests(ball_above_box(dimension, integrator), {Device::kCpu, 1});
    }
}

TEST(GpuRigidAlone, FallAndRest) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  expect_falls_and_rests(ball_above_box(2, Integrator::kExplicit), {Device::kCuda});
}

TEST(RigidAlone, AreASceneOfAFile) {
  const std::string
      collider = "[[collider]]\nshape = { type = \"sphere\", center = [0, 1], radius = 0.2 }\n",
      grid = "simulation.dimension = 2\n[grid]\ndx = 0.1\n";
  EXPECT_TRUE(parse_scene(grid + collider + "density = 500\n", "s.toml", "").bodies.empty());
  EXPECT_THROW(parse_scene(grid + collider, "s.toml", ""), Error) << "nothing moves";
}

}  // namespace
}  // namespace firn::test
