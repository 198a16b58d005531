// Sand on an endless slope flows from where Mohr and Coulomb's law says: with their strength in
// plane strain and the dilatancy of associated flow at its friction angle, and where it keeps its
// volume already at tan(slope) = sin(friction angle), as in simple shear.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/fluid_scenes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kDegree = std::numbers::pi / 180, kFriction = 30 * kDegree;

// m/s, after a second.
double speed_down(double slope, int dimension, double dilatancy) {
  const double dx = 0.04, length = 16 * dx, depth = dimension == 3 ? length : 0;
  Scene scene = empty_scene(dimension, dx);
  scene.simulation.gravity = {9.81 * std::sin(slope), -9.81 * std::cos(slope), 0};
  Material sand = elastic("sand", MaterialModel::kDruckerPrager, 1e6, 1500);
  sand.friction_angle = kFriction;
  sand.friction_match = FrictionMatch::kPlaneStrain;
  sand.dilatancy_angle = dilatancy;
  scene.materials = {sand};
  scene.bodies = {body("layer", 0, box({0, 0, 0}, {length, 8 * dx, depth}))};
  scene.grid.domain = closed_box({0, 0, 0}, {length, 20 * dx, depth});
  scene.grid.domain->boundary = {BoundaryType::kPeriodic, BoundaryType::kPeriodic,
                                 BoundaryType::kSticky,   BoundaryType::kSticky,
                                 BoundaryType::kPeriodic, BoundaryType::kPeriodic};
  Simulation simulation = simulate(scene);
  simulation.advance_until(1);
  const Totals totals = simulation.totals();
  return totals.momentum[0] / totals.mass;
}

TEST(SandOnASlope, FlowsFromItsFrictionAngle) {
  for (const int dimension : {2, 3}) {
    SCOPED_TRACE(fmt::format("{}D", dimension));
    EXPECT_LT(std::abs(speed_down(kFriction - 2 * kDegree, dimension, kFriction)), 0.02);
    EXPECT_GT(speed_down(kFriction + 2 * kDegree, dimension, kFriction), 0.1);
    // atan(sin(30 degrees)) is 26.6 degrees.
    EXPECT_LT(std::abs(speed_down(24 * kDegree, dimension, 0)), 0.05);
    EXPECT_GT(speed_down(28.6 * kDegree, dimension, 0), 0.2);
  }
}

}  // namespace
}  // namespace firn::test
