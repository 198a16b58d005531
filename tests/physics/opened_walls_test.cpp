// Walls that separate open for a step, and are walls again in the next one, whatever else the step
// does or leaves out.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

Domain tank(double width) {
  Domain domain = closed_box({0, 0, 0}, {width, 2, 1});
  domain.boundary[2] = BoundaryType::kSeparate;
  return domain;
}

// Thrown up a little, it is back where it was.
void expect_back(const Scene& scene, double time) {
  Simulation simulation = simulate(scene);
  const double before = simulation.totals().center_of_mass[1];
  double highest = before;
  for (int k = 1; k <= 40; ++k) {
    simulation.advance_until(k * time / 40);
    highest = std::max(highest, simulation.totals().center_of_mass[1]);
  }
  EXPECT_GT(highest, before + 1e-3) << "it has not left the floor";
  const double after = simulation.totals().center_of_mass[1];
  EXPECT_GT(after, before - 0.3 * scene.grid.dx) << "it has sunk into the floor";
  EXPECT_LT(after, before + scene.grid.dx);
}

TEST(OpenedWalls, HoldALiquidWithoutDensityCorrection) {
  Scene scene = liquid_scene(2, 0.05);
  scene.fluid.density_correction = false;
  scene.grid.domain = tank(0.8);
  scene.bodies = {lattice("pool", box({0, 0, 0}, {0.8, 0.5, 0}), {0, 1, 0})};
  expect_back(scene, 1);
}

TEST(OpenedWalls, HoldASolidThatNeverMelts) {
  Scene scene = thermal_scene(2, 0.05);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.thermal.heat = false;
  scene.time.dt_max = 2e-3;
  scene.grid.domain = tank(1.6);
  scene.materials = {solid("block", 3.6e4, 1.4e5)};
  scene.bodies = {lattice("block", box({0.4, 0, 0}, {1.2, 0.5, 0}), {0, 0.3, 0})};
  expect_back(scene, 0.5);
}

}  // namespace
}  // namespace firn::test
