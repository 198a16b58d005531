// Walls that move along themselves: what is smooth does no work, what is sticky tells all that it
// gives.
#include <gtest/gtest.h>

#include <numbers>
#include <string>
#include <tuple>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

using Case = std::tuple<Integrator, BoundaryType>;

std::string name_of(const testing::TestParamInfo<Case>& info) {
  const auto& [integrator, boundary] = info.param;
  const char* name = integrator == Integrator::kExplicit       ? "Explicit"
                     : integrator == Integrator::kOptimization ? "Optimization"
                                                               : "SemiImplicit";
  return std::string(name) + (boundary == BoundaryType::kSlip ? "Slip" : "Separate");
}

class TurningDrum : public testing::TestWithParam<Case> {};

// A disc of jelly in a round drum without friction that makes two turns a second. With the surface
// of one end of a step and the velocity of the other it was given 25 to 33 J, of a torque near 0.
// What is left is that of a stair of nodes.
TEST_P(TurningDrum, DoesTheWorkOfItsTorque) {
  const auto& [integrator, boundary] = GetParam();
  Scene scene = empty_scene(2, 0.025, Precision::kDouble);
  scene.simulation.integrator = integrator;
  scene.materials = {elastic("jelly", MaterialModel::kNeoHookean, 5e4, 1000)};
  scene.bodies = {body("disc", 0, sphere({0, -0.34, 0}, 0.15))};
  Shape drum;
  drum.type = ShapeType::kDifference;
  drum.children = {sphere({0, 0, 0}, 0.6), sphere({0, 0, 0}, 0.5)};
  scene.colliders = {collider("drum", drum, boundary)};
  const double omega = -4 * std::numbers::pi;
  scene.colliders[0].motion = Keyframes{{0, 1}, {}, {{0, 0, 0}, {0, 0, omega}}, {}};
  Simulation simulation = simulate(scene);
  double of_torque = 0;
  for (int frame = 0; frame < 24; ++frame) {
    simulation.advance_frame();
    of_torque -= simulation.stats().reactions[0].torque[2] * omega / scene.simulation.fps;
  }
  const double fed = simulation.stats().energy.fed;
  EXPECT_NEAR(fed, of_torque, 2);
  EXPECT_NEAR(fed, 0, 7);
}

INSTANTIATE_TEST_SUITE_P(
    Physics, TurningDrum,
    testing::Combine(testing::Values(Integrator::kExplicit, Integrator::kOptimization,
                                     Integrator::kSemiImplicit),
                     testing::Values(BoundaryType::kSlip, BoundaryType::kSeparate)),
    name_of);

// A belt below a pool, wherever it lies in its cells: the impulse that it tells is the momentum
// that the water has.
TEST(StickyBelt, TellsWhatItGivesToLiquid) {
  for (const double height : {0.0, 0.15, 0.5}) {
    constexpr double dx = 0.02;
    Scene scene = liquid_scene(2, dx);
    scene.transfer.kernel = 2;
    scene.grid.domain = closed_box({0, -0.16, 0}, {0.64, 0.64, 0});
    scene.grid.domain->boundary[0] = scene.grid.domain->boundary[1] = BoundaryType::kPeriodic;
    scene.bodies = {lattice("pool", box({0, height * dx, 0}, {0.64, 0.3, 0}))};
    scene.colliders = {
        collider("belt", box({-1, -1, 0}, {2, height * dx, 0}), BoundaryType::kSticky)};
    scene.colliders[0].motion = Keyframes{{0, 2}, {{0, 0, 0}, {2, 0, 0}}, {}, {}};  // 1 m/s
    Simulation simulation = simulate(scene);
    double told = 0, fed = 0;
    for (int frame = 0; frame < 12; ++frame) {
      simulation.advance_frame();
      const ColliderReaction r = simulation.stats().reactions[0];
      told -= r.force[0] / scene.simulation.fps;
      fed += r.power / scene.simulation.fps;
    }
    const double momentum = simulation.totals().momentum[0];
    EXPECT_GT(momentum, 1) << height;
    EXPECT_NEAR(told, momentum, 1e-6 * momentum) << height;
    EXPECT_NEAR(fed, told, 1e-9) << height;
  }
}

}  // namespace
}  // namespace firn::test
