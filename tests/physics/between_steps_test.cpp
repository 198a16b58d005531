// What happens between two steps: emissions where callbacks break off and go on, motions that
// callbacks set, states that are loaded into a simulation that was elsewhere, and what is said of
// steps then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/forces.h"

namespace firn::test {
namespace {

// Stiff stuff that comes so slowly that hundreds of steps lie between two emissions.
Scene slow_source_scene(bool fused) {
  Scene scene = empty_scene(2, 0.05);
  scene.simulation.gravity = {};
  scene.simulation.fused = fused;
  scene.simulation.fps = 10;
  scene.materials = {elastic("steel", MaterialModel::kFixedCorotated, 1e10)};
  scene.bodies = {body("block", 0, box({-0.2, -0.4, 0}, {0.2, -0.2, 0}))};
  Source tap;
  tap.name = "tap";
  tap.shape = box({-0.1, 0, 0}, {0.1, 0.1, 0});
  tap.velocity = {0, -4, 0};
  scene.sources = {tap};
  return scene;
}

// Whatever step a callback stops at, the run goes on to the same bits: what is emitted comes where
// it would have come.
TEST(BetweenSteps, SourcesEmitWhenTheyWouldHave) {
  for (const bool fused : {true, false}) {
    SCOPED_TRACE(fused ? "fused" : "plain");
    const Scene scene = slow_source_scene(fused);
    Simulation whole = simulate(scene), broken = simulate(scene);
    ASSERT_TRUE(whole.advance_frame());
    ASSERT_GT(whole.stats().emitted, broken.stats().emitted);
    Observer every_step;
    every_step.step = [](const StepInfo&) { return false; };
    std::int64_t calls = 0, most = whole.stats().steps;
    while (broken.stats().frame < 1 && ++calls < 2 * most) {
      broken.advance_frame(every_step);
      if (calls % 7 == 0) {
        const auto state = broken.save_state();
        ASSERT_NO_THROW(broken.load_state(state));
      }
    }
    EXPECT_EQ(broken.save_state(), whole.save_state());
  }
}

// A state from before anything was, loaded into a simulation with particles.
TEST(BetweenSteps, AStateWithoutParticlesLeavesNone) {
  Scene scene = slow_source_scene(true);
  scene.materials[0].youngs_modulus = 1e6;
  scene.bodies.clear();
  scene.sources[0].start = 0.15;
  Simulation used = simulate(scene), fresh = simulate(scene);
  const auto start = used.save_state();
  for (int frame = 0; frame < 3; ++frame) used.advance_frame();
  ASSERT_GT(used.stats().particles, 0);
  used.load_state(start);
  used.advance_frame();
  fresh.advance_frame();
  EXPECT_EQ(used.stats().max_speed, 0);
  EXPECT_EQ(used.stats().late, 0);
  for (int frame = 0; frame < 2; ++frame) used.advance_frame(), fresh.advance_frame();
  EXPECT_EQ(used.save_state(), fresh.save_state());
}

TEST(BetweenSteps, AStateOfSofterMaterialGoesOnInShorterSteps) {
  Scene soft = empty_scene(2, 0.05);
  soft.materials = {elastic("block", MaterialModel::kFixedCorotated, 1e4)};
  soft.bodies = {body("block", 0, box({0, 0, 0}, {0.5, 0.5, 0}), {0, -1, 0})};
  soft.colliders = {collider("floor", ground(-0.1), BoundaryType::kSlip)};
  Scene stiff = soft;
  stiff.materials[0].youngs_modulus = 1e8;
  Simulation before = simulate(soft), fresh = simulate(stiff), after = simulate(stiff);
  before.advance_frame();
  fresh.advance_steps(3);
  after.load_state(before.save_state());
  double longest = 0;
  Observer observer;
  observer.step = [&](const StepInfo& step) { return longest = std::max(longest, step.dt), true; };
  ASSERT_NO_THROW(after.advance_frame(observer));
  EXPECT_LT(longest, 1.5 * fresh.stats().dt_max);

  Simulation same = simulate(soft);  // whose own materials these are
  same.load_state(before.save_state());
  same.advance_frame();
  before.advance_frame();
  EXPECT_EQ(same.save_state(), before.save_state());

  Observer stops;
  stops.step = [](const StepInfo&) { return false; };
  before.advance_frame(stops);
  const auto within = before.save_state();
  expect_error(ErrorCategory::kFile, {"other materials", "between two fused steps"},
               [&] { after.load_state(within); });
  EXPECT_NO_THROW(after.advance_steps(1)) << "it was not begun";
}

// A plate that is told to be fast while steps are made: the next ones are as short as they are
// where the scene has it so.
void expect_short_steps(Scene scene, bool by_step) {
  scene.colliders = {collider("plate", box({0.6, 0.05, 0}, {0.7, 0.5, 0}), BoundaryType::kSlip)};
  const Keyframes fast{{0, 1}, {{0, 0, 0}, {-20, 0, 0}}, {}, {}};
  Simulation simulation = simulate(scene);
  double longest = 0;
  int steps = 0;
  bool set = false;
  Observer observer;
  const auto set_once = [&] {
    if (!set) simulation.set_collider_motion(0, fast);
    set = true;
  };
  observer.step = [&](const StepInfo& step) {
    // The step that had begun with its momentum on the grid is as long as it was to be.
    if (set && ++steps > 1) longest = std::max(longest, step.dt);
    if (by_step) set_once();
    return steps < 8;
  };
  if (!by_step) observer.interrupted = [&] { return set_once(), false; };
  simulation.advance_frame(observer);
  EXPECT_EQ(steps, 8);
  EXPECT_LE(longest * 20, scene.time.cfl * scene.grid.dx * (1 + 1e-9));
}
TEST(BetweenSteps, MotionsThatCallbacksSetShortenSteps) {
  Scene block = empty_scene(2, 0.05);
  block.time.dt_max = 0.02;
  block.materials = {elastic("soft", MaterialModel::kFixedCorotated, 100)};
  block.bodies = {body("block", 0, box({0, 0.1, 0}, {0.3, 0.4, 0}))};
  Scene pool = liquid_scene(2, 0.05);
  pool.time.dt_max = 0.02;
  pool.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
  pool.materials = {liquid()};
  pool.bodies = {body("pool", 0, box({0, 0, 0}, {0.6, 0.4, 0}))};
  Scene long_steps = block;
  long_steps.simulation.integrator = Integrator::kOptimization;
  for (const bool by_step : {true, false}) {
    SCOPED_TRACE(by_step ? "step" : "interrupted");
    for (const bool fused : {true, false}) {
      block.simulation.fused = fused;
      expect_short_steps(block, by_step);
    }
    expect_short_steps(pool, by_step);
    expect_short_steps(long_steps, by_step);
  }
}
// One who sets it whenever asked lets the run go on.
TEST(BetweenSteps, MotionsMayBeSetAgainAndAgain) {
  Scene scene = liquid_scene(2, 0.05);
  scene.materials = {liquid()};
  scene.bodies = {body("pool", 0, box({0, 0, 0}, {0.3, 0.3, 0}))};
  scene.colliders = {collider("plate", box({0.6, 0, 0}, {0.7, 0.5, 0}), BoundaryType::kSlip)};
  Simulation simulation = simulate(scene);
  EXPECT_TRUE(simulation.advance_frame([&] {
    simulation.set_collider_motion(0, {{0, 1}, {{0, 0, 0}, {-1, 0, 0}}, {}, {}});
    return false;
  }));
}
TEST(BetweenSteps, MotionsAreNotSetInTheMiddleOfAStep) {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {elastic("block")};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.2, 0.2, 0}))};
  scene.colliders = {collider("plate", ground(-1), BoundaryType::kSlip)};
  Simulation simulation = simulate(scene);
  int refused = 0;
  simulation.set_force([&](const ForceStep&) {
    expect_error(ErrorCategory::kScene, {"set_collider_motion", "in the middle of a step"}, [&] {
      simulation.set_collider_motion(0, {{0}, {{1, 0, 0}}, {}, {}});
    });
    ++refused;
  });
  simulation.advance_steps(2);
  EXPECT_EQ(refused, 2);
}

// The solves of long steps know of a belt that begins to run only now.
TEST(BetweenSteps, LongStepsFollowWhatBeginsToMove) {
  for (const Integrator integrator : {Integrator::kSemiImplicit, Integrator::kOptimization}) {
    SCOPED_TRACE(static_cast<int>(integrator));
    Scene still = empty_scene(2, 0.05);
    still.simulation.gravity = {};
    still.simulation.integrator = integrator;
    still.time.dt_max = 0.01;
    still.materials = {elastic("block", MaterialModel::kFixedCorotated, 1e5)};
    still.bodies = {body("block", 0, box({-0.2, 0, 0}, {0.2, 0.2, 0}), {1, 0, 0})};
    still.colliders = {collider("belt", box({-9, -0.5, 0}, {9, 0.02, 0}), BoundaryType::kSticky)};
    const Keyframes runs{{0, 10}, {{0, 0, 0}, {10, 0, 0}}, {}, {}};
    Scene moving = still;
    moving.colliders[0].motion = runs;
    Simulation a = simulate(moving), b = simulate(still);
    b.set_collider_motion(0, runs);
    for (int frame = 0; frame < 3; ++frame) a.advance_frame(), b.advance_frame();
    EXPECT_EQ(a.totals().elastic, b.totals().elastic);
  }
}

// What a callback throws leaves the call as if it had been stopped there.
TEST(BetweenSteps, WhatACallbackThrowsLeavesAFrameThatIsMeasured) {
  Scene scene = empty_scene(2, 0.05);
  scene.simulation.gravity = {};
  scene.materials = {elastic("block", MaterialModel::kFixedCorotated, 1e5)};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.4, 0.4, 0}))};
  scene.colliders = {collider("plate", box({-0.5, -0.2, 0}, {-0.1, 0.6, 0}), BoundaryType::kSlip)};
  scene.colliders[0].motion = Keyframes{{0, 1}, {{0, 0, 0}, {4, 0, 0}}, {}, {}};
  scene.diagnostics.on_energy_growth = OnGrowth::kStop;
  Simulation thrown = simulate(scene), stopped = simulate(scene);
  const auto at = [](std::int64_t step, bool throws) {
    Observer observer;
    observer.step = [step, throws](const StepInfo& info) {
      if (info.step == step && throws) throw std::runtime_error("enough");
      return info.step != step;
    };
    return observer;
  };
  EXPECT_THROW(thrown.advance_steps(1000, at(60, true)), std::runtime_error);
  EXPECT_FALSE(stopped.advance_steps(1000, at(60, false)));
  EXPECT_EQ(thrown.stats().steps, 60);
  EXPECT_EQ(thrown.stats().energy.fed, stopped.stats().energy.fed);
  EXPECT_GT(thrown.stats().energy.fed, 0);
  EXPECT_NO_THROW(thrown.advance_frame());
  EXPECT_THROW(thrown.advance_frame(at(thrown.stats().total_steps + 2, true)), std::runtime_error);
  EXPECT_NO_THROW(thrown.advance_frame());
}

TEST(BetweenSteps, StepsAreOfTheFrameThatTheyBeginIn) {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {elastic("block")};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.2, 0.2, 0}))};
  Simulation simulation = simulate(scene);
  const double length = 1 / scene.simulation.fps;
  int last = 0;
  Observer observer;
  observer.step = [&](const StepInfo& step) {
    last = step.frame;
    const double begin = step.time - step.dt;
    EXPECT_LE(step.frame * length, begin * (1 + 1e-9));
    EXPECT_GT((step.frame + 1) * length, begin * (1 + 1e-9));
    return step.time < 3.5 * length;
  };
  simulation.advance_steps(100000, observer);
  EXPECT_EQ(last, 3);
}

// No force at all is no reason to watch the energy no longer; with one there is nothing to tell.
TEST(BetweenSteps, EnergyIsWatchedUntilThereIsAForce) {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {elastic("block", MaterialModel::kFixedCorotated, 1e5)};
  scene.bodies = {body("block", 0, box({0, 0.1, 0}, {0.4, 0.5, 0}))};
  scene.colliders = {collider("plate", box({-0.5, -0.2, 0}, {0.9, 0.02, 0}), BoundaryType::kSlip)};
  scene.colliders[0].motion = Keyframes{{0, 1}, {{0, 0, 0}, {0, 2, 0}}, {}, {}};
  Simulation simulation = simulate(scene);
  simulation.set_force({});
  simulation.set_grid_boundary({});
  for (int frame = 0; frame < 4; ++frame) simulation.advance_frame();
  EXPECT_GT(simulation.stats().energy.fed, 0);
  simulation.set_force(force_of([](std::uint32_t, double) { return Vec3{}; }));
  simulation.advance_frame();
  const EnergyBalance balance = simulation.stats().energy;
  EXPECT_EQ(balance.fed, 0);
  EXPECT_EQ(balance.gained, 0);
  EXPECT_EQ(balance.growth, 0);
}

// The last steps of a frame may be another limit's, and of no material at all.
TEST(BetweenSteps, TheMaterialThatLimitsIsThatOfTheLimit) {
  Scene scene = empty_scene(2, 0.05);
  scene.simulation.gravity = {0, -7, 0};
  scene.simulation.fps = 4;
  scene.time.dt_max = 1;
  scene.materials = {elastic("feather", MaterialModel::kFixedCorotated, 1e2),
                     elastic("stone", MaterialModel::kFixedCorotated, 1e3)};
  scene.bodies = {body("stone", 1, box({0, 0, 0}, {0.2, 0.2, 0})),
                  body("feather", 0, box({0, 1, 0}, {0.2, 1.2, 0}))};
  Simulation simulation = simulate(scene);
  DtLimit last = DtLimit::kNone;
  Observer observer;
  observer.step = [&](const StepInfo& step) {
    if (step.limited_by != DtLimit::kFrameEnd) last = step.limited_by;
    return true;
  };
  simulation.advance_frame(observer);
  ASSERT_EQ(last, DtLimit::kVelocity);
  ASSERT_EQ(simulation.stats().limited_by, DtLimit::kWaveSpeed);
  EXPECT_EQ(simulation.stats().limiting_material, "stone");
}

}  // namespace
}  // namespace firn::test
