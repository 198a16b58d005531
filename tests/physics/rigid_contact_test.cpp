// Colliders that material moves slide over it: without friction nothing but gravity acts along the
// surface, with it what Coulomb says, and over a gap nothing at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/rigid_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81, kPi = 3.14159265358979323846;

// A slab of jelly below y = 0, from x = -1.2 to 1.2, and a body on or over it.
Scene slab_with(const Collider& body_on_it, double angle, double stiffness, int dimension = 2,
                double dx = 0.05) {
  Scene s = empty_scene(dimension, dx);
  s.simulation.gravity = {kGravity * std::sin(angle), -kGravity * std::cos(angle), 0};
  s.materials = {elastic("jelly", MaterialModel::kNeoHookean, stiffness, 1000)};
  const double side = dimension == 3 ? 0.5 : 0;
  s.bodies = {body("slab", 0, box({-1.2, -0.4, -side}, {1.2, 0, side}))};
  s.colliders = {body_on_it};
  Domain walls;
  walls.min = {-1.2, -0.4, -0.5};
  walls.max = {1.2, 2, 0.5};
  walls.boundary.fill(BoundaryType::kSlip);
  walls.boundary[2] = BoundaryType::kSticky;
  s.grid.domain = walls;
  return s;
}

Collider sled(BoundaryType boundary, double friction, double height, int dimension = 2) {
  const double side = dimension == 3 ? 0.25 : 0;
  return dynamic(
      collider("sled", box({-0.9, height, -side}, {-0.2, height + 0.4, side}), boundary, friction),
      200);
}

TEST(RigidContact, NothingHoldsWhatGlidesOverAGap) {
  for (const int dimension : {2, 3})
    for (const int kernel : {2, 3}) {
      SCOPED_TRACE(std::to_string(dimension) + "D, kernel " + std::to_string(kernel));
      const double dx = dimension == 3 ? 0.1 : 0.05;
      Collider body = sled(BoundaryType::kSeparate, 0, 0.4 * dx, dimension);
      body.dynamics->velocity = {3, 0, 0};
      Scene scene = slab_with(body, 0, 1e6, dimension, dx);
      scene.transfer.kernel = kernel;
      scene.simulation.gravity = {0, 0, 0};
      Simulation simulation = simulate(scene);
      for (int frame = 0; frame < 6; ++frame) simulation.advance_frame();
      EXPECT_DOUBLE_EQ(simulation.colliders()[0].velocity[0], 3);
      EXPECT_EQ(simulation.totals().kinetic, 0);
    }
}

// Contact that slips holds on to what it has come near; along the surface it is free.
TEST(RigidContact, SlidingContactIsFreeAlongTheSurface) {
  Collider body = sled(BoundaryType::kSlip, 0, 0.02);
  body.dynamics->velocity = {3, 0, 0};
  Scene scene = slab_with(body, 0, 1e6);
  scene.simulation.gravity = {0, 0, 0};
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 6; ++frame) simulation.advance_frame();
  EXPECT_NEAR(simulation.colliders()[0].velocity[0], 3, 0.01);
}

// Speeds after 0.4 s down a slope of 20 degrees. The slab gives way, and a light body on it bounces
// a little: the rest is that.
double speed_on_slope(Scene scene) {
  Simulation simulation = simulate(scene);
  const int frames = static_cast<int>(std::lround(0.4 * scene.simulation.fps));
  for (int frame = 0; frame < frames; ++frame) simulation.advance_frame();
  return simulation.colliders()[0].velocity[0];
}
constexpr double kSlope = 20 * kPi / 180;

TEST(RigidContact, NothingButFrictionHoldsOnASlope) {
  const double free = 0.4 * kGravity * std::sin(kSlope);
  const Collider ball =
      dynamic(collider("ball", sphere({-0.5, 0.41, 0}, 0.4), BoundaryType::kSeparate, 0), 200);
  for (const Collider& body : {sled(BoundaryType::kSeparate, 0, 0.01), ball})
    for (const double stiffness : {1e6, 4e6}) {
      SCOPED_TRACE(body.name + " " + std::to_string(stiffness));
      EXPECT_NEAR(speed_on_slope(slab_with(body, kSlope, stiffness)), free, 0.1 * free);
    }
  // Nor is it a matter of how often steps end, but for what lies within a quarter of a cell.
  Scene fine = slab_with(ball, kSlope, 1e6);
  fine.time.dt_max = 2e-5;
  EXPECT_NEAR(speed_on_slope(fine), free, 0.12 * free);
}

// The slab ends at `top`, where the body lies on it without a gap: where the surface of the
// material is at a corner of the body, it meets its lower side, not its front.
Scene flush(const Collider& body_on_it, double angle, double top) {
  Scene scene = slab_with(body_on_it, angle, 4e6);
  scene.bodies[0].shape.max[1] = top;
  return scene;
}

TEST(RigidContact, WhatLiesFlushIsNotHeldByItsFront) {
  const double free = 0.4 * kGravity * std::sin(kSlope), g = kGravity * std::cos(kSlope);
  for (const double top : {0.0, 0.02, 0.04}) {
    SCOPED_TRACE("top " + std::to_string(top));
    for (const double density : {20, 200}) {
      Collider body = sled(BoundaryType::kSeparate, 0, top);
      body.dynamics->density = density;
      EXPECT_NEAR(speed_on_slope(flush(body, kSlope, top)), free, 0.1 * free) << density;
    }
    const Collider rough = sled(BoundaryType::kSeparate, 0.2, top);
    EXPECT_NEAR(speed_on_slope(flush(rough, kSlope, top)), 0.4 * g * (std::tan(kSlope) - 0.2), 0.1);
  }
}

TEST(RigidContact, FrictionOnASlopeIsCoulombs) {
  const double g = kGravity * std::cos(kSlope);
  for (const int dimension : {2, 3})
    for (const double friction : {0.2, 0.5}) {
      SCOPED_TRACE(std::to_string(dimension) + "D " + std::to_string(friction));
      const double expected = 0.4 * g * std::max(0.0, std::tan(kSlope) - friction);
      const double dx = dimension == 3 ? 0.1 : 0.05;
      const Collider body = sled(BoundaryType::kSeparate, friction, 0.01, dimension);
      EXPECT_NEAR(speed_on_slope(slab_with(body, kSlope, 4e6, dimension, dx)), expected, 0.1);
    }
}

}  // namespace
}  // namespace firn::test
