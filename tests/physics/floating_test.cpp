// Bodies that incompressible liquid moves: they float as deep as Archimedes says, carry along the
// liquid that gives way to them as potential flow says, and share their momentum with it.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>

#include "tests/support/expect_error.h"
#include "tests/support/floating_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81;

double height(const Simulation& simulation, std::size_t body = 0) {
  return simulation.colliders()[body].translation[1];
}

// The surface may stand a little higher or lower than the scene has it once it has come to rest.
void expect_floats(const Scene& scene, double until) {
  Simulation simulation = simulate(scene);
  run_to(simulation, until);
  double sum = 0;
  constexpr int kFrames = 24;
  for (int frame = 0; frame < kFrames; ++frame) {
    simulation.advance_frame();
    sum += height(simulation);
  }
  EXPECT_NEAR(sum / kFrames, 0, 0.2 * scene.grid.dx);
  EXPECT_LT(simulation.stats().energy.growth, 0.02);  // as liquid settles that was just placed
}

TEST(Floating, BlocksLieAsDeepAsTheyAreHeavy) {
  constexpr double kDx = 0.05;
  for (const double density : {200.0, 500.0, 900.0})
    for (const BoundaryType boundary :
         {BoundaryType::kSlip, BoundaryType::kSeparate, BoundaryType::kSticky}) {
      SCOPED_TRACE(testing::Message() << density << ", " << static_cast<int>(boundary));
      expect_floats(tank_with(floating_block(density, boundary, 2), 2, kDx), 3);
    }
}

// Wherever their faces lie in the cells: sums over these alone would lift a block in steps of one.
TEST(Floating, NoneOfThemFeelsTheLinesOfTheGrid) {
  constexpr double kDx = 0.05;
  for (const double part : {0.2, 0.5, 0.8}) {
    SCOPED_TRACE(part);
    const double height = 0.4 + 2 * part * kDx;  // the lower face half of that below 0.8
    expect_floats(
        tank_with(floating_block(500, BoundaryType::kSeparate, 2, 2.4, height, part * kDx), 2, kDx),
        2);
  }
}

TEST(Floating, BlocksInThreeDimensions) {
  for (const double density : {300.0, 700.0}) {
    SCOPED_TRACE(density);
    expect_floats(tank_with(floating_block(density, BoundaryType::kSeparate, 3, 1.6), 3, 0.1, 1.6),
                  1);
  }
}

// In a round tank that is full a body in the middle is as heavy as it and what it carries along,
//   2D: (b^2 + a^2) / (b^2 - a^2), 3D: (b^3 + 2 a^3) / (2 (b^3 - a^3))
// times the liquid that it displaces [Lamb 1932, sections 69 and 93]: struck, it keeps that share
// of its momentum in the first step.
void expect_added_mass(int dimension, double density, double dx, double tolerance) {
  SCOPED_TRACE(testing::Message() << dimension << "D, " << density << " kg/m^3");
  constexpr double kInner = 0.3, kOuter = 0.75;
  const Shape outside = difference(box({-1, -1, -1}, {1, 1, 1}), sphere({0, 0, 0}, kOuter));
  Scene scene = liquid_scene(dimension, dx);
  scene.simulation.gravity = {0, 0, 0};
  scene.bodies = {
      lattice("liquid", difference(sphere({0, 0, 0}, kOuter), sphere({0, 0, 0}, kInner)))};
  scene.colliders = {collider("tank", outside, BoundaryType::kSlip),
                     dynamic(collider("body", sphere({0, 0, 0}, kInner), BoundaryType::kSlip),
                             density, {0.6, 0.3, 0})};
  scene.time.dt_max = 1e-3;
  Simulation simulation = simulate(scene);
  simulation.advance_steps(1);
  const double a = std::pow(kInner, dimension), b = std::pow(kOuter, dimension);
  const double carried = dimension == 2 ? (b + a) / (b - a) : (b + 2 * a) / (2 * (b - a));
  const double share = density / (density + 1000 * carried);
  const Vec3 velocity = simulation.colliders()[1].velocity;
  EXPECT_NEAR(velocity[0], 0.6 * share, 0.6 * tolerance);
  EXPECT_NEAR(velocity[1], 0.3 * share, 0.6 * tolerance);
}

TEST(Floating, BodiesCarryLiquidAlong) {
  for (const double density : {50.0, 1000.0, 8000.0}) {
    expect_added_mass(2, density, 0.025, 0.01);
    expect_added_mass(3, density, 0.075, 0.02);
  }
}

// What is as dense as the liquid goes with it, and a light ball rises as fast as its weight and
// that of what it carries along let it.
TEST(Floating, BallsRiseOrStay) {
  constexpr double kRadius = 0.2;
  const auto ball = [&](double density) {
    return dynamic(collider("ball", sphere({1.2, 0.6, 0}, kRadius), BoundaryType::kSlip), density);
  };
  Simulation still = simulate(tank_with(ball(1000), 2, 0.05, 2.4, 1.4));
  run_to(still, 1);
  EXPECT_NEAR(height(still), 0, 0.25 * 0.05);
  Scene light = tank_with(ball(100), 2, 0.025, 2.4, 1.4);
  light.time.dt_max = 1e-3;
  Simulation rises = simulate(light);
  rises.advance_steps(10);
  // A disc carries along its own volume; its images behind the floor and the walls add a half of
  // (radius / distance)^2 each to that, the one above the surface takes as much off.
  const auto image = [](double distance) { return 0.5 * std::pow(kRadius / distance, 2); };
  const double carried = 1 + image(0.6) + 2 * image(1.2) - image(0.8);
  const double expected = kGravity * (1000 - 100) / (100 + 1000 * carried);
  EXPECT_NEAR(rises.colliders()[0].velocity[1] / rises.time(), expected, 0.04 * expected);
}

// Nothing but the pressure is between a drop and a body that it hits. On so few cells a heavy plate
// stops a ball of 8 of them with 95 % of its momentum, a disc of 16 with 98.
TEST(Floating, MomentumIsSharedWithTheLiquid) {
  for (const int dimension : {2, 3})
    for (const double density : {30.0, 500.0, 5000.0}) {
      SCOPED_TRACE(testing::Message() << dimension << "D, " << density);
      const double dx = dimension == 2 ? 0.05 : 0.1;
      Scene scene = liquid_scene(dimension, dx);
      scene.simulation.gravity = {0, 0, 0};
      scene.bodies = {lattice("drop", sphere({0, 0, 0}, 0.4), {2, 0, 0})};
      const double side = dimension == 3 ? 0.3 : 0;
      scene.colliders = {dynamic(
          collider("plate", box({0.45, -0.3, -side}, {0.75, 0.4, side}), BoundaryType::kSeparate),
          density)};
      Simulation simulation = simulate(scene);
      const double before = simulation.totals().momentum[0];
      run_to(simulation, 0.3);
      const ColliderState body = simulation.colliders()[0];
      EXPECT_GT(body.velocity[0], 0.05);
      EXPECT_NEAR(simulation.totals().momentum[0] + body.momentum[0], before,
                  (dimension == 2 ? 0.025 : 0.06) * before);
      EXPECT_LT(simulation.stats().energy.growth, 0.01);
    }
}

// Where all falls there is no weight.
TEST(Floating, NothingFloatsThatFallsWithItsLiquid) {
  Scene scene = tank_with(floating_block(300, BoundaryType::kSeparate, 2, 0, 0.4), 2, 0.05);
  scene.bodies[0].shape.children[0] = box({-0.6, 0.5, 0}, {0.6, 1, 0});
  scene.grid.domain.reset();
  Simulation simulation = simulate(scene);
  run_to(simulation, 0.25);
  EXPECT_NEAR(simulation.colliders()[0].velocity[1], -0.25 * kGravity, 0.02 * 0.25 * kGravity);
  EXPECT_NEAR(simulation.colliders()[0].angular_velocity[2], 0, 0.1);
}

TEST(Floating, StonesComeToRestOnTheFloor) {
  for (const BoundaryType boundary : {BoundaryType::kSlip, BoundaryType::kSeparate}) {
    SCOPED_TRACE(static_cast<int>(boundary));
    const Collider stone =
        dynamic(collider("stone", box({0.9, 0.5, 0}, {1.3, 0.8, 0}), boundary), 2500);
    Simulation simulation = simulate(tank_with(stone, 2, 0.05));
    run_to(simulation, 1.5);
    EXPECT_NEAR(height(simulation), -0.5, 1e-3);
    EXPECT_LT(std::abs(simulation.colliders()[0].velocity[1]), 1e-3);
    EXPECT_LT(simulation.stats().energy.growth, 0.01);
  }
}

// Liquid fills the wedges beside where a round body touches a wall, though no particle fits in
// them: it is pressed up, or off a wall, by all of the pressure about it, as is what comes near.
TEST(Floating, WhatTouchesAWallIsNotSuckedOn) {
  constexpr double kRadius = 0.15, kDx = 0.03;
  const double displaced = 1000 * std::numbers::pi * kRadius * kRadius;
  for (const double gap : {0.0, 0.3 * kDx})
    for (const double density : {500.0, 2000.0}) {
      SCOPED_TRACE(testing::Message() << gap << ", " << density);
      Scene scene = tank_with(
          dynamic(collider("disc", sphere({1, kRadius + gap, 0}, kRadius), BoundaryType::kSeparate),
                  density),
          2, kDx, 2, 1.2);
      Simulation simulation = simulate(scene);
      run_to(simulation, 0.3);
      simulation.advance_frame();
      if (density > 1000) {
        EXPECT_NEAR(height(simulation), -gap, 1e-3);
        EXPECT_NEAR(simulation.stats().reactions[0].force[1], kGravity * displaced,
                    0.2 * kGravity * displaced);
      } else {
        EXPECT_GT(height(simulation), 0.05);
      }
    }
  Scene aside = tank_with(
      dynamic(collider("disc", sphere({kRadius, 0.6, 0}, kRadius), BoundaryType::kSeparate), 1000),
      2, kDx, 2, 1.2);
  Simulation simulation = simulate(aside);
  run_to(simulation, 0.3);
  EXPECT_NEAR(height(simulation), 0, 0.5 * kDx);
  EXPECT_NEAR(simulation.stats().reactions[0].force[0], 0, 0.2 * kGravity * displaced);
}

// Bodies that touch close off pockets of liquid, whose pressure has a value: it holds them apart.
TEST(Floating, PocketsBetweenBodiesAreSolvedFor) {
  constexpr double kRadius = 0.09;
  for (const double density : {300.0, 2500.0}) {
    SCOPED_TRACE(density);
    Scene scene = liquid_scene(2, 0.03);
    scene.fluid.free_surface = FreeSurface::kGhostFluid;
    scene.bodies = {body("liquid", 0, box({0, 0, 0}, {1, 0.5, 0}))};
    for (int k = 0; k < 8; ++k)
      scene.colliders.push_back(dynamic(
          collider("disc " + std::to_string(k),
                   sphere({0.14 + 0.24 * (k % 4), 0.65 + 0.25 * (k / 4) + 0.01 * k, 0}, kRadius),
                   BoundaryType::kSeparate),
          density));
    scene.grid.domain = closed_box({0, 0, 0}, {1, 2, 1});
    Simulation simulation = simulate(scene);
    run_to(simulation, 2.5);
    EXPECT_LT(simulation.stats().energy.growth, 0.02);
    for (std::size_t a = 0; a < 8; ++a)
      for (std::size_t b = 0; b < a; ++b) {
        const ColliderState one = simulation.colliders()[a], other = simulation.colliders()[b];
        const double apart =
            std::hypot(one.translation[0] + one.pivot[0] - other.translation[0] - other.pivot[0],
                       one.translation[1] + one.pivot[1] - other.translation[1] - other.pivot[1]);
        EXPECT_GT(apart, 2 * kRadius - 0.2 * 0.03) << a << ", " << b;
      }
  }
}

// A piston that falls in a full cylinder compresses what cannot be compressed: it stays.
TEST(Floating, APistonRestsOnSealedLiquid) {
  Simulation simulation = simulate(sealed_piston(0.03));
  run_to(simulation, 0.5);
  EXPECT_NEAR(height(simulation), 0, 0.2 * 0.03);
  EXPECT_NEAR(simulation.stats().reactions[0].force[1], kGravity * 3000 * 0.64 * 0.2, 20);
}

Scene flotsam(Precision precision) {
  Scene scene =
      tank_with(floating_block(400, BoundaryType::kSeparate, 2), 2, 0.05, 2.4, 1, precision);
  scene.bodies.push_back(lattice("wave", box({0, 1, 0}, {0.5, 1.5, 0})));
  scene.colliders.push_back(
      dynamic(collider("ball", sphere({2, 1.3, 0}, 0.15), BoundaryType::kSticky), 250, {-1, 0, 0}));
  return scene;
}

TEST(Floating, GoesOnBitForBitOnAnyNumberOfThreads) {
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    const Scene scene = flotsam(precision);
    Simulation whole = simulate(scene), begun = simulate(scene, 2), resumed = simulate(scene);
    make_steps(whole, 40);
    make_steps(begun, 15);
    resumed.load_state(begun.save_state());
    make_steps(resumed, 25);
    EXPECT_TRUE(resumed.save_state() == whole.save_state());
  }
}

TEST(Floating, IsRefusedUnderHeatAndLongSteps) {
  for (const Integrator integrator : {Integrator::kThermal, Integrator::kOptimization}) {
    Scene scene = flotsam(Precision::kSingle);
    scene.simulation.integrator = integrator;
    expect_error(ErrorCategory::kScene, {"collider.0.density", "\"incompressible\""},
                 [&] { simulate(scene); });
  }
}

}  // namespace
}  // namespace firn::test
