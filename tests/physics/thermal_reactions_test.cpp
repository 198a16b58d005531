// What thermal solids do to the bodies that they lie on or are pushed by: pressure and shear are
// two solves, and a body feels both.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr double kG = 9.81, kSide = 0.4;

Scene block_scene(double poisson_ratio, double viscosity) {
  Scene scene = thermal_scene(2, 0.025);
  scene.thermal.heat = false;
  constexpr double kYoungsModulus = 1e5;
  Material m =
      solid("m", kYoungsModulus / (2 * (1 + poisson_ratio)),
            kYoungsModulus * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio)));
  m.viscosity = viscosity;
  scene.materials = {m};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {kSide, kSide, 0}))};
  scene.bodies[0].sampling = Sampling::kUniform;
  return scene;
}

class AtRest : public testing::TestWithParam<BoundaryType> {};

// Without the shear the floor bore 15 % of the weight at a Poisson ratio of 0.05, 61 % at 0.3 and
// 73 % at 0.45.
TEST_P(AtRest, TheFloorBearsTheWeight) {
  for (const double poisson_ratio : {0.05, 0.3, 0.45}) {
    Scene scene = block_scene(poisson_ratio, 300);
    scene.simulation.gravity = {0, -kG, 0};
    scene.colliders = {collider("floor", box({-0.3, -0.3, 0}, {0.7, 0, 0}), GetParam())};
    Simulation simulation = simulate(scene);
    for (int frame = 0; frame < 36; ++frame) simulation.advance_frame();
    const Vec3 force = simulation.stats().reactions.at(0).force;
    const double weight = simulation.totals().mass * kG;
    EXPECT_NEAR(-force[1] / weight, 1, 0.05) << poisson_ratio;
    EXPECT_LE(std::abs(force[0]), 1e-3 * weight);
  }
}
INSTANTIATE_TEST_SUITE_P(ThermalReactions, AtRest,
                         testing::Values(BoundaryType::kSticky, BoundaryType::kSlip,
                                         BoundaryType::kSeparate));

// A plate that pushes a block through free space, or that it clings to and swings on.
class Pushed : public testing::TestWithParam<BoundaryType> {};

TEST_P(Pushed, WhatThePlateGivesIsWhatTheBlockGets) {
  Scene scene = block_scene(0.3, 0);
  scene.simulation.gravity = {};
  scene.colliders = {collider("plate", box({-0.3, -0.2, 0}, {0, 0.6, 0}), GetParam())};
  Keyframes motion;
  motion.times = {0.1, 0.6};
  motion.translation = {{0, 0, 0}, {0.25, 0, 0}};
  scene.colliders[0].motion = motion;
  Simulation simulation = simulate(scene);
  double impulse = 0, largest = 0;
  for (int frame = 0; frame < 24; ++frame) {
    simulation.advance_frame();
    impulse -= simulation.stats().reactions.at(0).force[0] / scene.simulation.fps;
    largest = std::max(largest, std::abs(impulse));
  }
  EXPECT_NEAR(impulse, simulation.totals().momentum[0], 0.03 * largest);
}
INSTANTIATE_TEST_SUITE_P(ThermalReactions, Pushed,
                         testing::Values(BoundaryType::kSticky, BoundaryType::kSeparate));

// A box in liquid at rest is borne by the weight of what it displaces, wherever its faces lie in
// their cells.
TEST(ThermalReactions, LiquidBearsWhatItsWeightIs) {
  for (const double offset : {0.0, 0.25, 0.5}) {
    constexpr double kDx = 0.05, kBox = 0.2;
    const double at = 0.4 + offset * kDx;
    Scene scene = thermal_scene(2, kDx);
    scene.thermal.heat = false;
    scene.simulation.gravity = {0, -kG, 0};
    scene.grid.domain = closed_box({0, 0, 0}, {1, 1.2, 0});
    scene.materials = {{}};
    scene.materials[0].name = "water";
    scene.materials[0].model = MaterialModel::kIncompressible;
    scene.materials[0].density = 1000;
    const Shape solid_box = box({at, at, 0}, {at + kBox, at + kBox, 0});
    Shape water;
    water.type = ShapeType::kDifference;
    water.children = {box({0, 0, 0}, {1, 1, 0}), solid_box};
    scene.bodies = {lattice("water", water)};
    scene.colliders = {collider("box", solid_box, BoundaryType::kSlip)};
    Simulation simulation = simulate(scene);
    simulation.advance_steps(2);
    const double displaced = 1000 * kG * kBox * kBox;
    EXPECT_NEAR(simulation.stats().reactions.at(0).force[1], displaced, 0.05 * displaced) << offset;
  }
}

// A block within a clamp that begins to turn. What lay deeper than the surface was told in shares
// of its normal, and what was a face beyond the block as if it stood still: torques rose to 129
// N m where there are none, and with them the energy that the clamp had fed.
TEST(ThermalReactions, ClampsFeelWhatTheyTurn) {
  Scene scene = block_scene(0.3, 0);
  scene.simulation.gravity = {};
  scene.bodies[0].shape = box({-kSide, -0.1, 0}, {kSide, 0.1, 0});
  scene.colliders = {collider("clamp", box({-0.6, -0.3, 0}, {0.6, 0.3, 0}), BoundaryType::kSticky)};
  constexpr double kSpeed = 6;
  Keyframes motion;
  motion.times = {0, 10};
  motion.rotation = {{0, 0, 0}, {0, 0, 10 * kSpeed}};
  scene.colliders[0].motion = motion;
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  const double spin = simulation.totals().angular_momentum[2];
  EXPECT_NEAR(-simulation.stats().reactions.at(0).torque[2] * simulation.stats().time, spin,
              0.01 * spin);
  for (int frame = 0; frame < 6; ++frame) {
    simulation.advance_frame();
    const double dt = simulation.stats().dt_max;
    // What a straight step and its turn leave is of second order.
    EXPECT_LE(std::abs(simulation.stats().reactions.at(0).torque[2]),
              2 * spin * kSpeed * kSpeed * dt);
  }
  EXPECT_LE(simulation.stats().energy.growth, 1e-6);
}

}  // namespace
}  // namespace firn::test
