// The room that a liquid has lost because its particles lie too close together.
#include <gtest/gtest.h>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

// After one step. `times` blocks of liquid lie in the place of one.
double lost_by(int times, int dimension, Sampling sampling) {
  Scene scene = liquid_scene(dimension, 0.05, Precision::kSingle);
  scene.simulation.gravity = {};
  scene.fluid.density_correction = false;
  for (int i = 0; i < times; ++i) {
    scene.bodies.push_back(
        body("block" + std::to_string(i), 0, box({-0.4, -0.4, -0.4}, {0.4, 0.4, 0.4})));
    scene.bodies.back().sampling = sampling;
  }
  Simulation simulation = simulate(scene);
  EXPECT_EQ(simulation.stats().lost_volume, 0);
  simulation.advance_steps(1);
  return simulation.stats().lost_volume;
}

TEST(LostVolume, IsNextToNothingAtTheStart) {
  for (const int d : {2, 3}) {
    EXPECT_LT(lost_by(1, d, Sampling::kUniform), 1e-6);
    EXPECT_LT(lost_by(1, d, Sampling::kPoisson), 0.01);
  }
}

TEST(LostVolume, OfTwoInOnePlaceIsHalf) {
  for (const int d : {2, 3}) EXPECT_NEAR(lost_by(2, d, Sampling::kPoisson), 0.5, 0.06) << d;
}

// A jet that falls into a tank stirs it.
TEST(LostVolume, GrowsWhereNothingKeepsParticlesApart) {
  for (const bool corrected : {true, false}) {
    Scene scene = liquid_scene(2, 1.0 / 32, Precision::kSingle);
    scene.fluid.free_surface = FreeSurface::kGhostFluid;
    scene.fluid.density_correction = corrected;
    scene.grid.domain = closed_box({0, 0, 0}, {1, 2, 0});
    scene.bodies = {body("pool", 0, box({0, 0, 0}, {1, 0.5, 0})),
                    body("jet", 0, box({0.6, 0.7, 0}, {0.8, 1.5, 0}), {0, -3, 0})};
    Simulation simulation = simulate(scene), rest = simulate(scene);
    for (int frame = 0; frame < 72; ++frame) simulation.advance_frame();
    const double lost = simulation.stats().lost_volume;
    if (corrected)
      EXPECT_LT(lost, 0.02);
    else
      EXPECT_GT(lost, 0.05);
    rest.load_state(simulation.save_state());
    EXPECT_EQ(rest.stats().lost_volume, lost);
  }
}

// A correction that is not found moves nothing, and is told of. There is no motion whose pressure
// could miss its tolerance instead.
TEST(LostVolume, TellsOfCorrectionsThatAreNotFound) {
  for (const int iterations : {1, 200}) {
    Scene scene = liquid_scene(2, 0.05, Precision::kSingle);
    scene.simulation.gravity = {};
    scene.fluid.max_iterations = iterations;
    scene.bodies = {body("block", 0, box({-0.4, -0.4, 0}, {0.4, 0.4, 0})),
                    body("other", 0, box({-0.1, -0.4, 0}, {0.2, 0.4, 0}))};
    Simulation simulation = simulate(scene);
    const auto before = simulation.field<float>("position");
    simulation.advance_steps(1);
    EXPECT_EQ(simulation.stats().pressure.corrections_lost, iterations == 1 ? 1 : 0);
    EXPECT_EQ(simulation.field<float>("position") == before, iterations == 1);
  }
}

}  // namespace
}  // namespace firn::test
