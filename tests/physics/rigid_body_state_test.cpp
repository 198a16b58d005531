// Colliders that material moves or that code sets, in whole simulations: their saved states, and
// what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "src/run/state_seal.h"
#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/rigid_scenes.h"

namespace firn::test {
namespace {

// --- saved states ---

Scene busy_bodies(int dimension, bool fused) {
  Scene scene = busy_scene(dimension, Precision::kSingle);
  scene.simulation.fused = fused;
  if (fused) {
    scene.sinks.clear();
    scene.sources.clear();
  }
  const double z = dimension == 3 ? 0.3 : 0;
  scene.colliders.push_back(
      dynamic(collider("float", sphere({0.6, 0.42, z}, 0.1), BoundaryType::kSeparate, 0.3), 200,
              {0, -1, 0}));
  scene.colliders.push_back(dynamic(
      collider("brick", box({0.15, 0.25, z - 0.1}, {0.3, 0.33, z + 0.1}), BoundaryType::kSticky),
      900, {}, {0, 0, -2}));
  return scene;
}

TEST(RigidBodies, GoOnBitForBit) {
  for (const int dimension : {2, 3})
    for (const bool fused : {false, true}) {
      const Scene scene = busy_bodies(dimension, fused);
      const int all = dimension == 2 ? 120 : 40;
      Simulation whole = simulate(scene);
      make_steps(whole, all);
      const auto expected = whole.save_state();
      for (const int first : {all / 5, all / 2}) {
        SCOPED_TRACE(first);
        Simulation before = simulate(scene), after = simulate(scene, 2);
        make_steps(before, first);
        const auto saved = before.save_state();
        after.load_state(saved);
        EXPECT_EQ(after.save_state(), saved);
        EXPECT_EQ(after.colliders()[2].translation, before.colliders()[2].translation);
        EXPECT_EQ(after.stats().colliders[3].angular_velocity,
                  before.colliders()[3].angular_velocity);
        make_steps(after, all - first);
        EXPECT_TRUE(after.save_state() == expected);
      }
    }
}

TEST(RigidBodies, RefuseStatesOfOthers) {
  const Scene scene = busy_bodies(2, true);
  const auto saved = simulate(scene).save_state();
  Scene other = scene;
  other.colliders[2].dynamics.reset();
  Simulation with_one = simulate(other);
  expect_error(ErrorCategory::kFile, {"another kind of scene", "colliders", "moved by material"},
               [&] { with_one.load_state(saved); });
  EXPECT_TRUE(with_one.advance_frame());
  other.colliders.pop_back();
  Simulation with_less = simulate(other);
  expect_error(ErrorCategory::kFile, {"another kind of scene", "colliders"},
               [&] { with_less.load_state(saved); });
  EXPECT_TRUE(with_less.advance_frame());
}

// The pose of a body is not a number, though the checksum holds.
TEST(RigidBodies, RefuseDamagedStates) {
  const Scene scene = busy_bodies(2, true);
  Simulation simulation = simulate(scene);
  const auto saved = simulation.save_state();
  const double x = simulation.colliders()[3].pivot[0];
  std::vector<std::byte> pattern(sizeof x);
  std::memcpy(pattern.data(), &x, sizeof x);
  const auto at = std::search(saved.begin(), saved.end(), pattern.begin(), pattern.end());
  ASSERT_NE(at, saved.end());
  auto damaged = saved;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::memcpy(&damaged[static_cast<std::size_t>(at - saved.begin())], &nan, sizeof nan);
  expect_error(ErrorCategory::kFile, {"damaged"}, [&] { simulation.load_state(damaged); });
  const auto inside = unsealed(saved, scene);
  const auto sealed_again = sealed(
      {damaged.begin(), damaged.begin() + static_cast<std::ptrdiff_t>(inside.size())}, scene);
  expect_error(ErrorCategory::kFile, {"contradicts itself"},
               [&] { simulation.load_state(sealed_again); });
}

TEST(RigidBodies, AreRefusedWhereTheyCannotBe) {
  Scene scene = ball_on_bed(2, Precision::kSingle, 100, 0);
  scene.simulation.integrator = Integrator::kOptimization;
  expect_error(ErrorCategory::kScene, {"collider.0.density", "\"explicit\""},
               [&] { simulate(scene); });
  scene = ball_on_bed(2, Precision::kSingle, 100, 0);
  scene.colliders[0].shape = ground();
  expect_error(ErrorCategory::kScene, {"collider \"ball\"", "no end"}, [&] { simulate(scene); });
}

// --- key frames from code ---

Keyframes along_x(double from, double to, double begin, double end) {
  return {{begin, end}, {{from, 0, 0}, {to, 0, 0}}, {}, {}};
}

// As if the scene had said so from the start, to the bit: before its first key a body rests there.
TEST(ColliderMotion, CanBeSetBetweenSteps) {
  for (const bool fused : {false, true}) {
    Scene scene = empty_scene(2, 0.05);
    scene.simulation.fused = fused;
    scene.materials = {elastic("jelly")};
    scene.bodies = {body("block", 0, box({0, 0, 0}, {0.4, 0.2, 0}))};
    scene.colliders = {collider("belt", box({-5, -0.5, 0}, {5, 0, 0}), BoundaryType::kSticky)};
    Simulation simulation = simulate(scene);
    const Keyframes motion = along_x(0, 2, 0.25, 2.25);
    scene.colliders[0].motion = motion;
    Simulation expected = simulate(scene);
    for (int frame = 0; frame < 24; ++frame) {
      if (frame == 6) simulation.set_collider_motion("belt", motion);
      simulation.advance_frame();
      expected.advance_frame();
    }
    EXPECT_EQ(simulation.snapshot().position, expected.snapshot().position);
    EXPECT_EQ(simulation.snapshot().velocity, expected.snapshot().velocity);
    EXPECT_GT(expected.totals().momentum[0] / expected.totals().mass, 0.5);
    const ColliderState belt = simulation.colliders()[0];
    EXPECT_EQ(belt.translation, expected.colliders()[0].translation);
    EXPECT_NEAR(belt.translation[0], 0.75, 1e-12);
    EXPECT_EQ(belt.velocity[0], 1);
    EXPECT_FALSE(belt.dynamic);
  }
}

// Liquids measure bodies that do not move but once: set in motion, or still again with a state of
// before, one is what it would be to a simulation that has measured nothing yet.
TEST(ColliderMotion, OfABodyInALiquidCanBeginAndEnd) {
  for (const int dimension : {2, 3}) {
    const double z = dimension == 3 ? 0.4 : 0;
    Scene scene = liquid_scene(dimension, 0.05);
    scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0.8});
    scene.bodies = {body("water", 0, box({0, 0, 0}, {1, 0.4, 2 * z}))};
    scene.colliders = {collider("float", sphere({0.5, 0.3, z}, 0.15), BoundaryType::kSlip)};
    Simulation simulation = simulate(scene);
    const auto expect_as_resumed = [&](const std::vector<std::byte>& state) {
      Simulation resumed = simulate(scene);
      resumed.load_state(state);
      for (int frame = 0; frame < 2; ++frame) simulation.advance_frame(), resumed.advance_frame();
      EXPECT_TRUE(simulation.save_state() == resumed.save_state());
    };
    simulation.advance_frame();
    const std::vector<std::byte> at_rest = simulation.save_state();
    const double now = simulation.time();
    simulation.set_collider_motion("float", along_x(0, 0.2, now, now + 0.2));
    for (int frame = 0; frame < 3; ++frame) simulation.advance_frame();
    EXPECT_GT(simulation.colliders()[0].translation[0], 0.1);
    expect_as_resumed(simulation.save_state());
    simulation.load_state(at_rest);
    expect_as_resumed(at_rest);
  }
}

TEST(ColliderMotion, IsPartOfTheState) {
  const Scene scene = busy_bodies(2, true);
  Simulation before = simulate(scene);
  before.advance_steps(20);
  before.set_collider_motion(1, along_x(0, 0.3, before.time(), before.time() + 0.2));
  before.advance_steps(20);
  const auto saved = before.save_state();
  Simulation after = simulate(scene);
  // What was set here is forgotten, as the state knows nothing of it.
  after.set_collider_motion(0, along_x(0, 5, 0, 1));
  after.load_state(saved);
  EXPECT_EQ(after.save_state(), saved);
  EXPECT_EQ(after.colliders()[0].translation, before.colliders()[0].translation);
  before.advance_steps(30);
  after.advance_steps(30);
  EXPECT_TRUE(after.save_state() == before.save_state());
  EXPECT_GT(after.colliders()[1].translation[0], 0);
  // And the scene's own motion comes back with a state that has no other.
  after.load_state(simulate(scene).save_state());
  EXPECT_EQ(after.colliders()[1].translation[0], 0);
}

TEST(ColliderMotion, IsRefusedWhereItMakesNoSense) {
  Simulation simulation = simulate(busy_bodies(2, true));
  const auto expect = [&](std::initializer_list<std::string> words, const auto& which,
                          const Keyframes& motion) {
    expect_error(ErrorCategory::kScene, words,
                 [&] { simulation.set_collider_motion(which, motion); });
  };
  const Keyframes good = along_x(0, 1, 0, 1);
  expect({"no collider 9", "the scene has 4"}, std::size_t{9}, good);
  expect({"no collider \"padle\""}, std::string("padle"), good);
  expect({"collider \"float\"", "material moves it"}, std::string("float"), good);
  // In the words of validate.
  const auto expect_paddle = [&](std::initializer_list<std::string> words, const Keyframes& keys) {
    expect(words, std::string("paddle"), keys);
  };
  expect_paddle({"collider.0.motion.times.1: ", "must increase"}, along_x(0, 1, 1, 0));
  expect_paddle({"collider.0.motion.times: ", "must not be empty"}, Keyframes{});
  expect_paddle({"'translation' must have as many entries"}, {{0, 1}, {{}}, {}, {}});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_paddle({"collider.0.motion.pivot.0: "}, {{0}, {}, {}, {nan, 0, 0}});
  expect_paddle({"collider.0.motion.rotation.0: "}, {{0}, {}, {{0, 1, 0}}, {}});
  expect_paddle({"collider.0.motion.translation.0: "}, {{0}, {{0, 0, 1}}, {}, {}});
  simulation.set_collider_motion("paddle", {{0}, {{1, 0, 0}}, {{0, 0, 1}}, {}});
}

}  // namespace
}  // namespace firn::test
