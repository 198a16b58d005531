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

}  // namespace
}  // namespace firn::test
