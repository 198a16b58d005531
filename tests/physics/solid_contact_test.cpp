// Bodies that material moves meet walls, other colliders and each other: they do not go through,
// come off as their restitution says, slide and roll as Coulomb's law has it, and stack.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "tests/support/fluid_scenes.h"
#include "tests/support/rigid_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81, kPi = std::numbers::pi;
constexpr double kStep = 1e-3;         // s
constexpr double kSlop = 0.01 * 0.05;  // m, by which bodies in contact may be within each other
constexpr double kAStep = kGravity * kStep;  // m/s, what gravity gives in one

// No material, and steps of a millisecond.
Scene bare(int dimension) {
  Scene s = empty_scene(dimension, 0.05);
  s.materials = {elastic("jelly")};
  s.simulation.gravity = {0, -kGravity, 0};
  s.time.dt_max = kStep;
  return s;
}
Simulation begin(const Scene& scene) { return simulate(scene); }
void run_for(Simulation& simulation, double time) {
  simulation.advance_steps(static_cast<int>(std::lround(time / kStep)));
}
Collider floor_of(double angle = 0) {
  return collider("floor", half_space({0, 0, 0}, {std::sin(angle), std::cos(angle), 0}),
                  BoundaryType::kSticky);
}

TEST(SolidContact, NothingFallsThroughTheFloor) {
  for (const int dimension : {2, 3})
    for (const bool wall : {false, true}) {
      SCOPED_TRACE(testing::Message() << dimension << "D, " << wall);
      Scene scene = bare(dimension);
      const double side = dimension == 3 ? 0.2 : 0;
      scene.colliders = {dynamic(collider("box", box({0.3, 0.2, -side}, {0.7, 0.5, side})), 700),
                         dynamic(collider("ball", sphere({1.3, 0.4, 0}, 0.2)), 200, {0, -3, 0})};
      if (wall) {
        Domain domain;
        domain.min = {0, 0, -1};
        domain.max = {2, 2, 1};
        domain.boundary.fill(BoundaryType::kSlip);
        scene.grid.domain = domain;
      } else {
        scene.colliders.push_back(floor_of());
      }
      Simulation simulation = begin(scene);
      run_for(simulation, 1);
      const auto states = simulation.colliders();
      EXPECT_NEAR(states[0].translation[1], -0.2, 1e-3);
      EXPECT_NEAR(states[1].translation[1], -0.2, 1e-3);
      for (int c = 0; c < 2; ++c)
        for (const double v : states[static_cast<std::size_t>(c)].velocity) EXPECT_NEAR(v, 0, 1e-3);
      // And stays there.
      run_for(simulation, 1);
      EXPECT_NEAR(simulation.colliders()[0].translation[0], states[0].translation[0], 1e-4);
    }
}

TEST(SolidContact, BallsComeOffAsTheirRestitutionSays) {
  for (const double restitution : {0.0, 0.5, 0.9}) {
    SCOPED_TRACE(restitution);
    Scene scene = bare(2);
    scene.colliders = {dynamic(collider("ball", sphere({0, 0.7, 0}, 0.2)), 500), floor_of()};
    scene.colliders[0].dynamics->restitution = restitution;
    Simulation simulation = begin(scene);
    const double fall = std::sqrt(2 * 0.5 / kGravity), speed = restitution * kGravity * fall;
    run_for(simulation, fall + 0.05);
    const ColliderState ball = simulation.colliders()[0];
    const double above = ball.translation[1] + 0.5;
    EXPECT_GE(ball.velocity[1], -1e-3);
    EXPECT_NEAR(
        std::sqrt(ball.velocity[1] * ball.velocity[1] + 2 * kGravity * std::max(above, 0.0)), speed,
        2 * kAStep);  // it comes and goes within a step
  }
}

// What they bring along the line between their centres they share; all else they keep.
TEST(SolidContact, TwoThatCollideKeepTheirMomentum) {
  for (const int dimension : {2, 3})
    for (const double restitution : {0.0, 1.0}) {
      SCOPED_TRACE(testing::Message() << dimension << "D, " << restitution);
      Scene scene = bare(dimension);
      scene.simulation.gravity = {0, 0, 0};
      scene.colliders = {dynamic(collider("a", sphere({0, 0, 0}, 0.2)), 500, {2, 0, 0}, {0, 0, 3}),
                         dynamic(collider("b", sphere({0.6, 0.1, 0}, 0.2)), 1500)};
      for (Collider& c : scene.colliders) {
        c.dynamics->restitution = restitution;
        c.dynamics->contact_friction = 0.3 * (1 - restitution);
      }
      Simulation simulation = begin(scene);
      const auto sum = [&](auto&& of) {
        double total = 0;
        for (const ColliderState& s : simulation.colliders()) total += of(s);
        return total;
      };
      const auto px = [](const ColliderState& s) { return s.momentum[0]; };
      const auto py = [](const ColliderState& s) { return s.momentum[1]; };
      const auto turn = [](const ColliderState& s) { return s.angular_momentum[2]; };
      const auto energy = [](const ColliderState& s) { return s.kinetic; };
      const double x = sum(px), y = sum(py), t = sum(turn), e = sum(energy);
      run_for(simulation, 0.3);
      EXPECT_NEAR(sum(px), x, 1e-12 * x);
      EXPECT_NEAR(sum(py), y, 1e-12 * x);
      EXPECT_NEAR(sum(turn), t, 1e-12 * x);
      EXPECT_GT(simulation.colliders()[1].velocity[0], 0.3);
      EXPECT_LT(sum(energy), e * (1 + 1e-12));
      if (restitution == 1) {
        EXPECT_NEAR(sum(energy), e, 1e-9 * e);
      }
    }
}

// A blow goes through those that touch: as many leave at the end as have come.
TEST(SolidContact, BlowsArePassedOn) {
  for (const int strikers : {1, 2}) {
    SCOPED_TRACE(strikers);
    Scene scene = bare(2);
    scene.simulation.gravity = {0, 0, 0};
    for (int k = 0; k < 5; ++k) {
      const bool strikes = k < strikers;
      scene.colliders.push_back(dynamic(
          collider("disc" + std::to_string(k), sphere({0.4 * k - (strikes ? 0.3 : 0), 0, 0}, 0.2)),
          500, {strikes ? 2.0 : 0.0, 0, 0}));
      scene.colliders.back().dynamics->restitution = 1;
      scene.colliders.back().dynamics->contact_friction = 0;
    }
    Simulation simulation = begin(scene);
    run_for(simulation, 0.3);
    for (int k = 0; k < 5; ++k)
      EXPECT_NEAR(simulation.colliders()[static_cast<std::size_t>(k)].velocity[0],
                  k < 5 - strikers ? 0 : 2, 1e-3)
          << k;
  }
}

// Fifteen that lie in a triangle and are struck fly apart with what energy was brought.
TEST(SolidContact, BlowsScatterAHeap) {
  Scene scene = bare(2);
  scene.simulation.gravity = {0, 0, 0};
  const auto add = [&](double x, double y, const Vec3& velocity) {
    scene.colliders.push_back(
        dynamic(collider("disc" + std::to_string(scene.colliders.size()), sphere({x, y, 0}, 0.1)),
                500, velocity));
    scene.colliders.back().dynamics->restitution = 1;
    scene.colliders.back().dynamics->contact_friction = 0;
  };
  for (int row = 0; row < 5; ++row)
    for (int k = 0; k <= row; ++k) add(0.1 * std::sqrt(3) * row, 0.2 * (k - 0.5 * row), {});
  add(-0.5, 0.013, {5, 0, 0});
  Simulation simulation = begin(scene);
  const auto energy = [&] {
    double sum = 0;
    for (const ColliderState& disc : simulation.colliders()) sum += disc.kinetic;
    return sum;
  };
  const double brought = energy();
  for (int k = 0; k < 20; ++k) {
    run_for(simulation, 0.02);
    EXPECT_NEAR(energy(), brought, 2e-3 * brought);
  }
  const auto states = simulation.colliders();
  EXPECT_GT(std::count_if(states.begin(), states.end(),
                          [](const ColliderState& s) {
                            return std::hypot(s.velocity[0], s.velocity[1]) > 0.1;
                          }),
            10);
}

// A box that lands flat comes off as it came, not turning.
TEST(SolidContact, BoxesThatLandFlatComeOffFlat) {
  Scene scene = bare(2);
  scene.colliders = {dynamic(collider("box", box({0, 0.3, 0}, {0.6, 0.6, 0})), 500), floor_of()};
  scene.colliders[0].dynamics->restitution = 0.8;
  Simulation simulation = begin(scene);
  const double fall = std::sqrt(2 * 0.3 / kGravity);
  run_for(simulation, fall + 0.02);
  const ColliderState box = simulation.colliders()[0];
  EXPECT_NEAR(box.velocity[1], 0.8 * kGravity * fall - 0.02 * kGravity, 2 * kAStep);
  // A round leaves a thousandth of the speed.
  EXPECT_NEAR(box.angular_velocity[2], 0, 1e-3 * kGravity * fall / 0.3);
}

// Down a slope of 30 degrees a block slides with g (sin - mu cos), or stays.
TEST(SolidContact, FrictionIsCoulombs) {
  constexpr double kSlope = kPi / 6;
  for (const double friction : {0.0, 0.2, 0.8}) {
    SCOPED_TRACE(friction);
    Scene scene = bare(2);
    scene.simulation.gravity = {kGravity * std::sin(kSlope), -kGravity * std::cos(kSlope), 0};
    scene.colliders = {dynamic(collider("block", box({0, 0, 0}, {0.4, 0.2, 0})), 500), floor_of()};
    scene.colliders[0].dynamics->contact_friction = friction;
    Simulation simulation = begin(scene);
    run_for(simulation, 0.5);
    const double expected =
        std::max(0.0, 0.5 * kGravity * (std::sin(kSlope) - friction * std::cos(kSlope)));
    EXPECT_NEAR(simulation.colliders()[0].velocity[0], expected, kAStep);
  }
}

// A ball that rolls is slower than one that slides by what turns it.
TEST(SolidContact, BallsRoll) {
  constexpr double kSlope = kPi / 9;
  for (const int dimension : {2, 3}) {
    SCOPED_TRACE(dimension);
    Scene scene = bare(dimension);
    scene.simulation.gravity = {kGravity * std::sin(kSlope), -kGravity * std::cos(kSlope), 0};
    scene.colliders = {dynamic(collider("ball", sphere({0, 0.2, 0}, 0.2)), 500), floor_of()};
    scene.colliders[0].dynamics->contact_friction = 0.5;
    Simulation simulation = begin(scene);
    run_for(simulation, 0.5);
    const double share = dimension == 2 ? 2.0 / 3 : 5.0 / 7;
    const double expected = 0.5 * kGravity * std::sin(kSlope) * share;
    const ColliderState ball = simulation.colliders()[0];
    EXPECT_NEAR(ball.velocity[0], expected, 0.04 * expected);
    EXPECT_NEAR(ball.angular_velocity[2], -ball.velocity[0] / 0.2, 0.04 * expected / 0.2);
  }
}

TEST(SolidContact, BoxesStack) {
  Scene scene = bare(2);
  for (int k = 0; k < 4; ++k)
    scene.colliders.push_back(dynamic(
        collider("box" + std::to_string(k), box({0, 0.3 * k, 0}, {0.4, 0.3 * (k + 1), 0})), 500));
  scene.colliders.push_back(floor_of());
  Simulation simulation = begin(scene);
  run_for(simulation, 1);
  for (std::size_t k = 0; k < 4; ++k) {
    const ColliderState box = simulation.colliders()[k];
    EXPECT_NEAR(box.translation[1], 0, static_cast<double>(k + 1) * kSlop) << k;
    EXPECT_NEAR(box.translation[0], 0, kSlop) << k;
    EXPECT_NEAR(box.rotation[3], 0, 2 * kSlop / 0.4) << k;
  }
}

Scene liquid_beside(Scene scene, double x, double height) {
  scene.simulation.integrator = Integrator::kIncompressible;
  scene.materials = {liquid_scene(2, 0.05).materials[0]};
  scene.bodies = {body("drop", 0, box({x - 0.1, 0, 0}, {x, 0.1, 0}))};
  scene.grid.domain = closed_box({-1, 0, 0}, {x, height, 1});
  scene.time.dt_max = 0.01;
  return scene;
}

// Off what holds it a ball comes back to where it fell from, time and again, in steps that vary
// too.
TEST(SolidContact, BouncingKeepsEnergy) {
  for (const bool liquid : {false, true}) {
    SCOPED_TRACE(liquid);
    Scene scene = bare(2);
    if (liquid) scene = liquid_beside(scene, 2, 3), scene.time.dt_max = 1;
    scene.colliders = {
        dynamic(collider("ball", sphere({0, 1, 0}, 0.2), BoundaryType::kSeparate), 500),
        floor_of()};
    scene.colliders[0].dynamics->restitution = 1;
    Simulation simulation = begin(scene);
    const auto energy = [&] {
      const ColliderState ball = simulation.colliders()[0];
      return ball.kinetic + ball.potential;
    };
    const double brought = energy();
    double highest = 0;
    for (int k = 1; k <= 300; ++k) {
      simulation.advance_until(k / 30.0);
      if (k > 270) highest = std::max(highest, 1 + simulation.colliders()[0].translation[1]);
    }
    EXPECT_NEAR(energy(), brought, 4e-3 * brought);
    EXPECT_NEAR(highest, 1, 0.02);
  }
}

// Sixteen on each other, and what is a thousand times as heavy on what is light.
TEST(SolidContact, TowersBearThemselves) {
  for (const bool liquid : {false, true})
    for (const int boxes : {2, 16}) {
      SCOPED_TRACE(testing::Message() << liquid << ", " << boxes);
      Scene scene = bare(2);
      if (liquid) scene = liquid_beside(scene, 2, 6);
      for (int k = 0; k < boxes; ++k)
        scene.colliders.push_back(dynamic(
            collider("box" + std::to_string(k), box({0, 0.3 * k, 0}, {0.4, 0.3 * (k + 1), 0}),
                     BoundaryType::kSeparate),
            boxes == 2 && k == 0 ? 50 : 50 * (boxes == 2 ? 1000 : 10)));
      scene.colliders.push_back(floor_of());
      Simulation simulation = begin(scene);
      run_to(simulation, 2);
      const ColliderState uppermost = simulation.colliders()[static_cast<std::size_t>(boxes - 1)];
      EXPECT_NEAR(uppermost.translation[1], 0, 0.03 * 0.05);
      EXPECT_NEAR(uppermost.translation[0], 0, 0.05 * 0.05);
      for (const double v : uppermost.velocity) EXPECT_NEAR(v, 0, 0.02);
    }
}

// What contacts bear is where the next step begins from, and is saved with the state.
TEST(SolidContact, GoesOnBitForBit) {
  Scene scene = bare(2);
  for (int k = 0; k < 6; ++k)
    scene.colliders.push_back(dynamic(
        collider("box" + std::to_string(k), box({0.02 * k, 0.3 * k, 0}, {0.4, 0.3 * (k + 1), 0})),
        500));
  scene.colliders.push_back(floor_of());
  Simulation before = begin(scene), after = begin(scene);
  run_for(before, 0.3);
  after.load_state(before.save_state());
  EXPECT_TRUE(after.save_state() == before.save_state());
  for (Simulation* simulation : {&before, &after}) run_for(*simulation, 0.1);
  EXPECT_TRUE(after.save_state() == before.save_state());
}

TEST(SolidContact, PassesThroughWhereTheSceneSaysSo) {
  Scene scene = bare(2);
  scene.colliders = {dynamic(collider("ghost", sphere({0, 0.5, 0}, 0.2)), 500), floor_of()};
  scene.colliders[0].dynamics->collides = false;
  Simulation simulation = begin(scene);
  run_for(simulation, 0.5);
  EXPECT_NEAR(simulation.colliders()[0].translation[1], -0.5 * kGravity * 0.25, 1e-9);
}

// A lift carries along what stands on it, by friction.
TEST(SolidContact, MovingCollidersTakeThemAlong) {
  Scene scene = bare(2);
  Collider lift = collider("lift", box({-0.5, -0.3, 0}, {0.5, 0, 0}));
  lift.motion = Keyframes{{0, 1}, {{0, 0, 0}, {0.2, 0.5, 0}}, {}, {}};
  scene.colliders = {lift, dynamic(collider("box", box({-0.2, 0, 0}, {0.2, 0.3, 0})), 500)};
  scene.colliders[1].dynamics->contact_friction = 1;
  Simulation simulation = begin(scene);
  run_for(simulation, 0.9);
  EXPECT_NEAR(simulation.colliders()[1].translation[1], 0.45, 3e-3);
  EXPECT_NEAR(simulation.colliders()[1].translation[0], 0.18, 6e-3);
}

// What holds them bears their weight, and the work of what raises them is told.
TEST(SolidContact, CollidersBearThemAndFeedThemEnergy) {
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kIncompressible}) {
    SCOPED_TRACE(static_cast<int>(integrator));
    Scene scene = bare(2);
    scene.simulation.integrator = integrator;
    if (integrator == Integrator::kIncompressible) {
      scene.materials = {liquid_scene(2, 0.05).materials[0]};
      scene.bodies = {body("drop", 0, box({2, 0, 0}, {2.2, 0.2, 0}))};
      scene.grid.domain = closed_box({-1, 0, 0}, {2.5, 2, 1});
    }
    Collider lift = collider("lift", box({-0.5, 0.1, 0}, {0.5, 0.3, 0}));
    lift.motion = Keyframes{{0, 0.5, 1.5}, {{0, 0, 0}, {0, 0, 0}, {0, 0.6, 0}}, {}, {}};
    scene.colliders = {lift, dynamic(collider("box", box({-0.2, 0.3, 0}, {0.2, 0.6, 0})), 500)};
    const double weight = 500 * 0.4 * 0.3 * kGravity;
    Simulation simulation = begin(scene);
    run_to(simulation, 0.4);
    EXPECT_NEAR(simulation.stats().reactions[0].force[1], -weight, 0.01 * weight);
    EXPECT_NEAR(simulation.stats().reactions[0].torque[2], 0, 0.01 * weight);
    run_to(simulation, 2);
    // It is set off at once: half of the work is lost, the other half when it lands.
    const double raised = 0.6 * weight, set_off = weight / kGravity * 0.6 * 0.6;
    EXPECT_NEAR(simulation.stats().energy.fed, raised + set_off, 0.01 * raised);
    EXPECT_LT(simulation.stats().energy.growth, 0.01);
  }
}

// A heap of forty comes to rest without sinking into itself, at the steps that a liquid takes;
// and a heavy one on light ones is borne.
TEST(SolidContact, HeapsBearThemselves) {
  constexpr double kDx = 0.05;
  Scene scene = liquid_beside(bare(2), 2.5, 3);
  scene.grid.domain->min[0] = 0;
  for (int k = 0; k < 40; ++k) {
    const double x = 0.3 + 0.24 * (k % 8) + 0.03 * (k / 8 % 2), y = 0.12 + 0.26 * (k / 8);
    scene.colliders.push_back(dynamic(
        collider("disc", sphere({x, y, 0}, 0.1), BoundaryType::kSeparate), k == 35 ? 20000 : 400));
    scene.colliders.back().name += std::to_string(k);
  }
  Simulation simulation = begin(scene);
  run_to(simulation, 1.2);
  const auto states = simulation.colliders();
  const auto place = [&](std::size_t c, std::size_t axis) {
    return states[c].pivot[axis] + states[c].translation[axis];
  };
  for (std::size_t a = 0; a < 40; ++a) {
    EXPECT_GT(place(a, 1), 0.1 - 0.1 * kDx) << a;
    for (std::size_t b = 0; b < a; ++b)
      EXPECT_GT(std::hypot(place(a, 0) - place(b, 0), place(a, 1) - place(b, 1)), 0.2 - 0.2 * kDx)
          << a << ", " << b;
  }
}

}  // namespace
}  // namespace firn::test
