// Steel at rest in single precision, whose weight strains it by less than its deformation can say:
// steps end with what rounding leaves, and say so, where no velocities could meet the tolerance.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

TEST(ImplicitRounding, SteelRestsInSinglePrecision) {
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    Scene scene = empty_scene(2, 0.05, precision);
    scene.simulation.integrator = Integrator::kOptimization;
    scene.simulation.gravity = {0, -9.81, 0};
    scene.implicit.max_linear_iterations = 3000;
    scene.materials = {elastic("steel", MaterialModel::kFixedCorotated, 2e11, 7850)};
    scene.bodies = {lattice("block", box({0, 0, 0}, {0.4, 0.2, 0}))};
    scene.colliders = {collider("floor", ground(), BoundaryType::kSticky)};
    Simulation simulation = simulate(scene);
    const std::vector<float> start = simulation.snapshot().position;
    for (int frame = 0; frame < 3; ++frame) {
      simulation.advance_frame();
      const ImplicitStats& solve = simulation.stats().implicit;
      EXPECT_EQ(solve.rejected, 0);
      EXPECT_EQ(solve.at_rounding > 0, solve.imbalance > solve.tolerance);
      if (precision == Precision::kDouble) {
        EXPECT_EQ(solve.at_rounding, 0);
      } else {
        EXPECT_GT(solve.at_rounding, 0);
      }
    }
    const std::vector<float> now = simulation.snapshot().position;
    for (std::size_t i = 0; i < now.size(); ++i) EXPECT_NEAR(now[i], start[i], 1e-6);
  }
}

// Nothing pulls at it and nothing holds it: its vibration dies, and what is left is rounding.
TEST(ImplicitRounding, WhatHasComeToRestStaysThere) {
  for (const Precision precision : {Precision::kSingle, Precision::kDouble})
    for (const int dimension : {2, 3}) {
      SCOPED_TRACE(testing::Message() << dimension << "D, " << static_cast<int>(precision));
      Scene scene = empty_scene(dimension, 0.1, precision);
      scene.simulation.integrator = Integrator::kOptimization;
      scene.simulation.gravity = {0, 0, 0};
      scene.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 2e4)};
      scene.bodies = {lattice("block", box({0, 0, 0}, {0.4, 0.4, dimension == 3 ? 0.4 : 0}))};
      scene.bodies[0].stretch = 0.98;
      Simulation simulation = simulate(scene);
      for (int frame = 0; frame < 60; ++frame) simulation.advance_frame();
      EXPECT_LT(simulation.stats().max_speed, 5e-3);
    }
}

}  // namespace
}  // namespace firn::test
