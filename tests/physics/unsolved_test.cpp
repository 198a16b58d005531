// A solve that misses its tolerance in every shorter step ends the run, and says which one it was.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/expect_error.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

// A block between a hot and a cold wall: of a conductivity that reaches across it in a step, and
// pressed between walls that close in.
Scene block(int dimension) {
  Scene scene = thermal_scene(dimension, 0.05);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.time.dt_max = 1e-2;
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
  scene.grid.domain->temperature[0] = ScalarField{300, ""};
  scene.grid.domain->temperature[1] = ScalarField{600, ""};
  scene.materials = {solid("copper", 1e4, std::numeric_limits<double>::infinity())};
  scene.materials[0].heat.conductivity = {1e7, 1e7};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {1, 0.4, 1}))};
  scene.bodies[0].temperature.constant = 400;
  return scene;
}

// Nothing was made of the step: it was refused at the start, five times.
void expect_refused(const Scene& scene, const std::string& solve, const std::string& setting) {
  SCOPED_TRACE(solve);
  Simulation simulation = simulate(scene);
  const Divergence where =
      expect_divergence({"step 1 ", "the " + solve + " solve stopped after 1 iterations",
                         "raise " + setting + ".max_iterations"},
                        [&] { simulation.advance_frame(); });
  EXPECT_EQ(where.step, 1);
  EXPECT_EQ(where.time, 0);
  EXPECT_FALSE(where.particle);
}

TEST(Unsolved, EverySystemEndsTheRunByItsName) {
  Scene pressure = block(2);
  pressure.thermal.pressure_solve.max_iterations = 1;
  expect_refused(pressure, "pressure", "thermal.pressure_solve");
  Scene heat = block(2);
  heat.thermal.heat_solve = {1e-12, 1};
  expect_refused(heat, "heat", "thermal.heat_solve");
  Scene force = block(2);
  force.thermal.forces = ForceIntegration::kSemiImplicit;
  force.bodies[0].velocity.component[0] = {0, "sin(9*y)"};
  force.thermal.force_solve = {1e-12, 1};
  expect_refused(force, "force", "thermal.force_solve");
}

// Once the solves converge again, the count of retries starts anew.
TEST(Unsolved, AFewShorterStepsAreTried) {
  Scene scene = block(2);
  scene.simulation.fps = 10;
  // Heat reaches a cell's width in the longest step: shorter ones are easier to solve.
  scene.materials[0].heat.conductivity = {5e5, 5e5};
  Simulation free = simulate(scene);
  free.advance_steps(1);
  const auto needed = static_cast<int>(free.stats().thermal.heat.max_iterations);
  ASSERT_GT(needed, 2);
  scene.thermal.heat_solve.max_iterations = needed - 1;
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  const FrameStats stats = simulation.stats();
  EXPECT_LT(stats.dt_min, 0.75 * scene.time.dt_max) << "no step had to be shorter";
  EXPECT_NEAR(stats.time, 0.1, 1e-12);
}

}  // namespace
}  // namespace firn::test
