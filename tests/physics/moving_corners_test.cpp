// Where what moves slides along what is at rest, and both stick or slip: water in their corner is
// not squeezed without end, and bodies feed in what pushing it takes.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fluid_scenes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

Material water(double stiffness, double viscosity) {
  Material m;
  m.name = "water";
  m.model = MaterialModel::kWeaklyCompressible;
  m.density = 1000;
  m.bulk_modulus = stiffness;
  m.gamma = 7;
  m.viscosity = viscosity;
  return m;
}

struct Pushed {
  double fed;  // J
  std::int64_t steps;
};
// Water 0.4 m deep before a piston that goes 0.4 m in half a second.
Pushed pushed_by(BoundaryType piston_boundary, BoundaryType floor) {
  Scene scene = empty_scene(2, 0.025);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.simulation.fps = 24;
  scene.materials = {water(3e4, 1e-3)};
  scene.bodies = {body("pool", 0, box({0, 0, 0}, {2, 0.4, 0}))};
  scene.grid.domain = closed_box({-0.5, 0, 0}, {2, 0.8, 0});
  scene.grid.domain->boundary.fill(floor);
  Collider piston = collider("piston", box({-0.3, -0.1, 0}, {0, 1, 0}), piston_boundary);
  piston.motion.emplace();
  piston.motion->times = {0.5, 1};
  piston.motion->translation = {{0, 0, 0}, {0.4, 0, 0}};
  scene.colliders = {piston};
  Simulation simulation = simulate(scene);
  simulation.advance_until(1.25);
  return {simulation.stats().energy.fed, simulation.stats().total_steps};
}

TEST(MovingCorners, APistonFeedsInWhatItPushes) {
  const double slippery = pushed_by(BoundaryType::kSlip, BoundaryType::kSlip).fed;
  EXPECT_GT(slippery, 500);
  for (const BoundaryType boundary : {BoundaryType::kSticky, BoundaryType::kSlip}) {
    const Pushed pushed = pushed_by(boundary, BoundaryType::kSticky);
    EXPECT_NEAR(pushed.fed, slippery, 0.25 * slippery) << static_cast<int>(boundary);
    EXPECT_LT(pushed.steps, 3000) << static_cast<int>(boundary);
  }
}

TEST(MovingCorners, ALidDoesNotPushAgainstTheWallsBesideIt) {
  Scene scene = empty_scene(2, 0.0625);
  scene.simulation.gravity = {0, 0, 0};
  scene.simulation.fps = 8;
  scene.transfer.type = TransferType::kAflip;
  scene.transfer.blend = 0.97;
  scene.materials = {water(1.5e4, 10)};
  scene.bodies = {body("water", 0, box({0, 0, 0}, {1, 1, 0}))};
  scene.colliders = {collider("left", half_space({0, 0, 0}, {1, 0, 0}), BoundaryType::kSticky),
                     collider("right", half_space({1, 0, 0}, {-1, 0, 0}), BoundaryType::kSticky),
                     collider("floor", half_space({0, 0, 0}, {0, 1, 0}), BoundaryType::kSticky),
                     collider("lid", half_space({0, 1, 0}, {0, -1, 0}), BoundaryType::kSticky)};
  scene.colliders[3].motion.emplace();
  scene.colliders[3].motion->times = {0, 100};
  scene.colliders[3].motion->translation = {{0, 0, 0}, {100, 0, 0}};
  Simulation simulation = simulate(scene);
  simulation.advance_until(1.5);
  EXPECT_GT(simulation.stats().energy.fed, 100);
  EXPECT_LT(simulation.stats().energy.fed, 1000);
  EXPECT_LT(std::abs(simulation.stats().reactions[1].force[0]), 3000);
}

}  // namespace
}  // namespace firn::test
