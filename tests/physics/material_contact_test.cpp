// Materials that touch: what slides is braked by friction and by hardly anything else, what flies
// at each other bounces when it meets and not before, what is drawn apart comes apart, and what
// does not touch holds together as if there were one velocity field.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/contact_scenes.h"

namespace firn::test {
namespace {

struct Slide {
  double height, angle, friction, speed;
};

// m/s after `time` on a slab of which the block does not slide off.
double expected_speed(const Slide& s, double time) {
  const double pull = kGravity * std::sin(s.angle),
               brake = s.friction * kGravity * std::cos(s.angle);
  return std::max(s.speed + (pull - brake) * time, 0.0);
}
double speed_after(const Scene& scene, double time) {
  Simulation simulation = simulate(scene);
  simulation.advance_until(time);
  return motion_of(simulation, scene.simulation.dimension, 1).velocity[0];
}

// Wherever the surface lies in its cells. The surfaces of scattered particles brake as well, a
// block of 16 by 8 cells as by a coefficient of 0.02 to 0.06 (without friction by 0.04 of 2 m/s).
TEST(MaterialContact, FrictionBrakesWhatSlides) {
  constexpr double kDx = 0.025, kTime = 0.3, kRough = 0.065;
  for (const Slide& s :
       {Slide{0.4, 0, 0, 2}, Slide{0.4, 0, 0.3, 2}, Slide{0.4, 0.5, 0.2, 0},
        Slide{0.412, 0.5, 0.2, 0}, Slide{0.393, 0, 0.3, 2}, Slide{0.407, 0, 0, 2}}) {
    const double speed = speed_after(block_on_slab(2, kDx, s.height, s.angle, s.friction, s.speed),
                                     kTime),
                 expected = expected_speed(s, kTime);
    EXPECT_LT(speed, expected + 0.02) << s.height << ", " << s.angle << ", " << s.friction;
    EXPECT_GT(speed, expected - kRough * kGravity * kTime)
        << s.height << ", " << s.angle << ", " << s.friction;
  }
}

// A surface that lies askew in the grid, of a slab and a block that are both turned.
TEST(MaterialContact, ATiltedSurfaceIsAsSmooth) {
  constexpr double kAngle = std::numbers::pi / 6, kTime = 0.3;
  for (const double friction : {0.0, 0.2}) {
    Scene scene = block_on_slab(2, 0.02, 0, 0, friction, 0);
    scene.grid.domain.reset();
    const auto turned = [&](const Vec3& min, const Vec3& max) {
      Shape s;
      s.type = ShapeType::kTransform;
      s.rotation = {0, 0, kAngle};
      s.children = {box(min, max)};
      return s;
    };
    scene.bodies[0].shape = turned({-2.5, -0.3, 0}, {1, 0, 0});
    scene.bodies[1].shape = turned({0, 0, 0}, {0.6, 0.3, 0});
    scene.colliders = {
        collider("bed", half_space({0.1 * std::sin(kAngle) * 2, -0.1 * std::cos(kAngle) * 2, 0},
                                   {-std::sin(kAngle), std::cos(kAngle), 0}))};
    Simulation simulation = simulate(scene);
    simulation.advance_until(kTime);
    const Vec3 v = motion_of(simulation, 2, 1).velocity;
    const double speed = std::hypot(v[0], v[1]),
                 free = kGravity * (std::sin(kAngle) - friction * std::cos(kAngle)) * kTime;
    EXPECT_NEAR(speed, free, 0.04 * kGravity * kTime) << friction;
    EXPECT_LT(v[0], 0);
  }
}

// Below the angle of friction.
TEST(MaterialContact, FrictionHoldsWhatRests) {
  Simulation simulation = simulate(block_on_slab(2, 0.025, 0.41, 0.3, 0.5, 0));
  simulation.advance_until(0.1);
  const Motion before = motion_of(simulation, 2, 1);
  simulation.advance_until(0.6);
  const Motion after = motion_of(simulation, 2, 1);
  EXPECT_LT(std::abs(after.centre[0] - before.centre[0]), 2e-3);
}

TEST(MaterialContact, WithoutItABlockHoldsOn) {
  Scene scene = block_on_slab(2, 0.025, 0.4, 0, 0, 2);
  scene.contacts.clear();
  EXPECT_LT(speed_after(scene, 0.3), 0.3 * 2);
}

Scene bars_that_meet(int dimension, double dx, double gap) {
  Scene scene = empty_scene(dimension, dx);
  scene.simulation.gravity = {};
  scene.simulation.fps = 100;
  Material bar = elastic("left", MaterialModel::kNeoHookean, 1e6);
  bar.poisson_ratio = 0;
  scene.materials = {bar, bar};
  scene.materials[1].name = "right";
  const double depth = dimension == 3 ? 0.15 : 0;
  scene.bodies = {body("left", 0, box({-0.6, 0, 0}, {0, 0.2, depth}), {0.5, 0, 0}),
                  body("right", 1, box({gap, 0, 0}, {gap + 0.6, 0.2, depth}), {-0.5, 0, 0})};
  scene.contacts = {{{0, 1}, 0}};
  return scene;
}

// Where kernels overlap nodes share a velocity a cell and a third before.
TEST(MaterialContact, BarsMeetWhereTheyTouch) {
  constexpr double kDx = 0.02, kGap = 0.1;
  for (const int dimension : {2, 3}) {
    Simulation simulation = simulate(bars_that_meet(dimension, kDx, kGap));
    double last = 0;  // m/s
    while ((last = motion_of(simulation, dimension, 0).velocity[0]) > 0.99 * 0.5)
      simulation.advance_steps(1);
    const double left = kGap - 2 * 0.5 * simulation.time();
    EXPECT_LT(std::abs(left), 0.3 * kDx) << dimension << "D";
  }
}

TEST(MaterialContact, BarsBounceAndShareTheirMomentum) {
  for (const TransferType transfer : {TransferType::kApic, TransferType::kFlip}) {
    Scene scene = bars_that_meet(2, 0.02, 0.03);
    scene.transfer.type = transfer;
    if (transfer == TransferType::kFlip) scene.transfer.blend = 0.95;
    scene.bodies[1].velocity.component[0].constant = -0.2;
    Simulation simulation = simulate(scene);
    const auto sum = [&] {
      return motion_of(simulation, 2, 0).velocity[0] + motion_of(simulation, 2, 1).velocity[0];
    };
    const double before = simulation.totals().momentum[0];
    simulation.advance_until(0.15);  // a wave has gone through both and back after 0.04 s
    EXPECT_NEAR(simulation.totals().momentum[0], before, 1e-10);
    const double left = motion_of(simulation, 2, 0).velocity[0],
                 right = motion_of(simulation, 2, 1).velocity[0];
    EXPECT_NEAR(sum(), 0.3, 0.01);
    EXPECT_GT(right - left, 0.88 * 0.7);  // bars as long as each other exchange what they have
    EXPECT_LT(right - left, 0.7);
  }
}

// Pressed together, then drawn apart: nothing holds them.
TEST(MaterialContact, WhatIsDrawnApartComesApart) {
  Scene scene = bars_that_meet(2, 0.02, 0);
  for (std::size_t b : {0u, 1u}) scene.bodies[b].velocity.component[0].constant *= -1;
  Simulation simulation = simulate(scene);
  simulation.advance_until(0.1);
  EXPECT_NEAR(motion_of(simulation, 2, 0).velocity[0], -0.5, 2e-3);
  EXPECT_NEAR(motion_of(simulation, 2, 1).velocity[0], 0.5, 2e-3);
}

// What is in no common contact has the velocity that one field would give it, also where a third
// material makes it have two.
TEST(MaterialContact, WhatDoesNotTouchHoldsTogether) {
  Scene scene = bars_that_meet(2, 0.02, 0);
  scene.bodies[1].velocity.component[0].constant = 0.1;
  scene.contacts.clear();
  Simulation one = simulate(scene);
  scene.materials.push_back(elastic("far away"));
  scene.bodies.push_back(body("far away", 2, sphere({3, 0, 0}, 0.1)));
  scene.contacts = {{{0, 2}, 0}, {{1, 2}, 0}};
  Simulation fields = simulate(scene);
  one.advance_until(0.05);
  fields.advance_until(0.05);
  for (const std::int32_t which : {0, 1}) {
    const Motion a = motion_of(one, 2, which), b = motion_of(fields, 2, which);
    EXPECT_NEAR(a.velocity[0], b.velocity[0], 1e-3) << which;
    EXPECT_NEAR(a.centre[0], b.centre[0], 1e-5) << which;
  }
}

double energy_of(const Totals& totals) {
  return totals.kinetic + totals.elastic + totals.potential;
}

// Three fields at a node: a block on two that stand side by side.
TEST(MaterialContact, ABlockRestsOnTwoOthers) {
  Scene scene = block_on_slab(2, 0.025, 0.4, 0, 0.3, 0);
  scene.materials.push_back(elastic("other", MaterialModel::kNeoHookean, 1e6));
  scene.bodies[0].shape = box({-0.2, 0, 0}, {0.5, 0.4, 0});
  scene.bodies.push_back(body("other", 2, box({0.5, 0, 0}, {1.2, 0.4, 0})));
  scene.contacts = {{{0, 1, 2}, 0.3}};
  Simulation simulation = simulate(scene);
  simulation.advance_until(0.3);
  const double before = energy_of(simulation.totals());
  simulation.advance_until(1);
  EXPECT_LT(energy_of(simulation.totals()), before);
  const Motion block = motion_of(simulation, 2, 1);
  EXPECT_NEAR(block.centre[0], 0.5, 0.01);
  EXPECT_GT(block.centre[1], 0.49);
  EXPECT_LT(std::abs(block.velocity[1]), 0.02);
}

// Momentum that lies on the nodes of several fields is saved with them.
TEST(MaterialContact, ARunGoesOnBitForBit) {
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    Scene scene = block_on_slab(2, 0.05, 0.41, 0.3, 0.2, 1, 1e5);
    scene.simulation.precision = precision;
    Simulation whole = simulate(scene);
    make_steps(whole, 120);
    Simulation before = simulate(scene);
    make_steps(before, 53);
    Simulation after = simulate(scene, 2);
    after.load_state(before.save_state());
    make_steps(after, 67);
    EXPECT_TRUE(after.save_state() == whole.save_state());
  }
}

}  // namespace
}  // namespace firn::test
