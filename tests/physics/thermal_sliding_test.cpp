// Thermal material on bodies that it slides along without friction. Nothing but its weight changes
// its momentum along them, whatever melts and however particles lie to the surface.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr double kG = 9.81;

// Soft, and melts at 310 K.
Material butter() {
  Material m = solid("butter", 2e4, 1e6);
  m.heat.melting_point = 310;
  m.heat.latent_heat = 1e4;
  m.heat.conductivity = {500, 500};
  return m;
}
Body part(const Shape& shape, double temperature, const Vec3& velocity = {}) {
  Body b = body("", 0, shape, velocity);
  b.temperature = ScalarField{temperature, ""};
  return b;
}
Vec3 velocity_of(const Simulation& simulation) {
  const Totals t = simulation.totals();
  return {t.momentum[0] / t.mass, t.momentum[1] / t.mass, t.momentum[2] / t.mass};
}

// One liquid particle a quarter of a cell above a slippery floor, or below its surface, at 1 m/s
// along it: the slowest and the fastest that it is on its way over 20 cells.
std::pair<double, double> speeds_of_a_drop(int dimension, double height) {
  constexpr double dx = 0.01;
  Scene scene = thermal_scene(dimension, dx);
  scene.simulation.fps = 100;
  scene.simulation.gravity = {0, -kG, 0};
  scene.materials = {butter()};
  const Shape half_a_cell =
      box({0, (height - 0.25) * dx, 0}, {0.5 * dx, (height + 0.25) * dx, 0.5 * dx});
  scene.bodies = {part(half_a_cell, 400, {1, 0, 0})};
  scene.bodies[0].sampling = Sampling::kUniform;
  scene.colliders = {collider("floor", ground(), BoundaryType::kSlip)};
  Simulation simulation = simulate(scene);
  EXPECT_EQ(simulation.stats().particles, 1);
  std::pair<double, double> range{1, 1};
  for (int frame = 0; frame < 20; ++frame) {
    simulation.advance_frame();
    const double speed = velocity_of(simulation)[0];
    range = {std::min(range.first, speed), std::max(range.second, speed)};
  }
  return range;
}
// The pressure that holds it up gives both faces of its cell the same speed, but the nearer one has
// more of its mass: it is slowed by up to 13 %. From below the surface it lost 80 % and then gained
// without end.
TEST(ThermalSliding, ADropGainsNoSpeed) {
  for (int dimension : {2, 3})
    for (const double height : {-0.25, 0.25}) {
      const auto [slowest, fastest] = speeds_of_a_drop(dimension, height);
      EXPECT_LE(fastest, 1 + 1e-6) << height;
      EXPECT_GE(slowest, 0.87) << height;
    }
}

Shape slope(double angle) {
  return half_space({0.013, 0.017, 0}, {-std::sin(angle), std::cos(angle), 0});
}
double speed_along(const Simulation& simulation, double angle) {
  const Vec3 v = velocity_of(simulation);
  return v[0] * std::cos(angle) + v[1] * std::sin(angle);
}

// Half a disc that lies on a slope, with its weight on it, or without.
Simulation slide(double angle, double temperature, double speed, double g) {
  Scene scene = thermal_scene(2, 1.0 / 32);
  scene.simulation.gravity = {0, -g, 0};
  scene.materials = {butter()};
  Shape half;
  half.type = ShapeType::kDifference;
  half.children = {sphere(slope(angle).point, 0.25), slope(angle)};
  scene.bodies = {part(half, temperature, {speed * std::cos(angle), speed * std::sin(angle), 0})};
  scene.colliders = {collider("slope", slope(angle), BoundaryType::kSlip)};
  Simulation simulation = simulate(scene);
  run_to(simulation, 0.5);
  return simulation;
}
TEST(ThermalSliding, NothingIsLostAlongASlope) {
  for (const double angle : {0.1, 1.2})
    for (const double temperature : {280.0, 400.0})
      EXPECT_NEAR(speed_along(slide(angle, temperature, 1, 0), angle), 1, 1e-3) << angle;
}
// At the rims of the half disc the surface in cut cells is of first order: 2 % of the weight's
// impulse. Where faces inside the slope kept what they held, solid and liquid missed more.
TEST(ThermalSliding, WeightIsAllThatPullsDownASlope) {
  for (const double angle : {0.1, 0.5, std::numbers::pi / 4, 1.2})
    for (const double temperature : {280.0, 400.0}) {
      const double pulled = -speed_along(slide(angle, temperature, 0, kG), angle);
      EXPECT_NEAR(pulled / (kG * 0.5), std::sin(angle), 0.022) << angle << " at " << temperature;
    }
}

// A body that is higher on one side melts from below. The bound is a quarter of the speed that it
// had by now when melt beside it had the density of the material, and no share of its weight.
TEST(ThermalSliding, MeltDoesNotPushTheSolidOnIt) {
  Scene scene = thermal_scene(2, 0.02);
  scene.simulation.gravity = {0, -kG, 0};
  scene.materials = {butter()};
  scene.bodies = {part(box({0, 0, 0}, {0.3, 0.4, 0}), 280),
                  part(box({0.3, 0, 0}, {0.8, 0.12, 0}), 280)};
  scene.colliders = {collider("plate", ground(), BoundaryType::kSlip)};
  scene.colliders[0].temperature = ScalarField{450, ""};
  Simulation simulation = simulate(scene);
  run_to(simulation, 1);
  const std::vector<std::uint16_t> phase = simulation.snapshot().phase;
  EXPECT_GT(std::count(phase.begin(), phase.end(), 1), 0.05 * static_cast<double>(phase.size()));
  EXPECT_NEAR(velocity_of(simulation)[0], 0, 2.3e-3);
}

}  // namespace
}  // namespace firn::test
