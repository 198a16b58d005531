// What a caller is promised of the calls that advance a simulation: where they end, what their
// callbacks see, that these change nothing, and that a stop is a pause.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Plain steps, as where particles may leave; fused ones; those of a liquid. All have a source.
std::vector<Scene> scenes() {
  std::vector<Scene> list{busy_scene(2, Precision::kSingle), busy_scene(2, Precision::kSingle),
                          busy_liquid_scene(2, Precision::kSingle)};
  list[1].sinks.clear();
  return list;
}
bool is_fused(const Scene& scene) { return scene.sinks.empty(); }

struct Trace {
  std::vector<StepInfo> steps;
  std::vector<FrameStats> frames;
  Observer observer() {
    return {{},
            [this](const StepInfo& step) {
              steps.push_back(step);
              return true;
            },
            [this](const FrameStats& frame) {
              frames.push_back(frame);
              return true;
            }};
  }
};

// --- callbacks ---

// What may not be called from a callback for a step, a frame or a force, by name.
void expect_refused_within(Simulation& simulation, const std::vector<std::byte>& state) {
  const auto expect = [](const char* what, const auto& use) {
    expect_error(ErrorCategory::kScene, {what, "not from a callback"}, use);
  };
  expect("advance_frame", [&] { simulation.advance_frame(); });
  expect("advance_until", [&] { simulation.advance_until(1); });
  expect("advance_steps", [&] { simulation.advance_steps(1); });
  expect("set_force", [&] { simulation.set_force({}); });
  expect("set_grid_boundary", [&] { simulation.set_grid_boundary({}); });
  expect("load_state", [&] { simulation.load_state(state); });
  expect("remove_particles", [&] { simulation.remove_particles(std::vector<std::uint32_t>{0}); });
}

TEST(Observer, DoesNotAdvance) {
  for (const Scene& scene : scenes()) {
    Simulation simulation = simulate(scene), alone = simulate(scene);
    const auto state = simulation.save_state();
    int asked = 0;
    Observer observer;
    observer.step = [&](const StepInfo&) {
      return ++asked, expect_refused_within(simulation, state), true;
    };
    observer.frame = [&](const FrameStats&) {
      return ++asked, expect_refused_within(simulation, state), true;
    };
    simulation.advance_frame(observer);
    simulation.set_force(
        [&](const ForceStep&) { ++asked, expect_refused_within(simulation, state); });
    simulation.advance_steps(1);
    EXPECT_GT(asked, 2);
    alone.advance_frame(Observer{{}, [](const StepInfo&) { return true; }, {}});
    alone.set_force([](const ForceStep&) {});
    alone.advance_steps(1);
    EXPECT_TRUE(simulation.save_state() == alone.save_state());
  }
}

TEST(Observer, SeesEveryStepAndFrameAndChangesNothing) {
  for (const Scene& scene : scenes()) {
    Simulation alone = simulate(scene), observed = simulate(scene);
    Trace trace;
    for (int frame = 0; frame < 3; ++frame) {
      ASSERT_TRUE(alone.advance_frame());
      ASSERT_TRUE(observed.advance_frame(trace.observer()));
    }
    EXPECT_TRUE(alone.save_state() == observed.save_state());
    ASSERT_EQ(trace.frames.size(), 3u);
    ASSERT_EQ(static_cast<std::int64_t>(trace.steps.size()), alone.stats().total_steps);
    double time = 0;
    std::int64_t number = 0;
    for (const StepInfo& step : trace.steps) {
      EXPECT_EQ(step.step, ++number);
      // The last step of a frame ends at its end instead.
      EXPECT_NEAR(step.time, time + step.dt, 1e-15);
      EXPECT_EQ(step.frame, static_cast<int>(std::floor((step.time - step.dt / 2) * 24)));
      EXPECT_GT(step.particles, 0);
      EXPECT_GT(step.max_speed, 0);
      EXPECT_NE(step.limited_by, DtLimit::kNone);
      time = step.time;
    }
    std::int64_t counted = 0;
    for (int frame = 1; frame <= 3; ++frame) {
      const FrameStats& stats = trace.frames[static_cast<std::size_t>(frame - 1)];
      EXPECT_EQ(stats.frame, frame);
      EXPECT_EQ(stats.time, frame / 24.0);
      EXPECT_EQ(stats.total_steps, counted += stats.steps);
    }
  }
}

TEST(Observer, StopsAfterAnyStep) {
  for (const Scene& scene : scenes()) {
    Simulation whole = simulate(scene), halted = simulate(scene);
    whole.advance_until(2 / 24.0);
    std::int64_t made = 0;
    int calls = 1;
    const Observer one_step{
        {}, [&](const StepInfo& step) { return (made = step.step, false); }, {}};
    for (; !halted.advance_until(2 / 24.0, one_step); ++calls) {
      EXPECT_EQ(made, calls) << "one step for each call";
      halted.load_state(halted.save_state());
    }
    EXPECT_EQ(made, calls);
    EXPECT_EQ(whole.stats().total_steps, made);
    EXPECT_EQ(halted.stats().frame, 2);
    EXPECT_TRUE(whole.save_state() == halted.save_state());
  }
}

TEST(Observer, StopsAfterAFrame) {
  Simulation simulation = simulate(scenes()[1]);
  int told = 0;
  const Observer second_frame{{}, {}, [&](const FrameStats& frame) {
                                ++told;
                                return frame.frame < 2;
                              }};
  EXPECT_FALSE(simulation.advance_until(1, second_frame));
  EXPECT_EQ(told, 2);
  EXPECT_EQ(simulation.time(), 2 / 24.0);
  EXPECT_TRUE(simulation.advance_until(3 / 24.0, second_frame)) << "it is where it was to go";
  EXPECT_EQ(told, 3);
}

TEST(Observer, AFrameThatEndsWithTheStopIsComplete) {
  Simulation simulation = simulate(scenes()[0]);
  int frames = 0;
  const Observer at_the_end{{},
                            [](const StepInfo& step) { return step.time < 1 / 24.0; },
                            [&](const FrameStats&) { return ++frames > 0; }};
  EXPECT_FALSE(simulation.advance_until(1, at_the_end));
  EXPECT_EQ(frames, 1);
  EXPECT_EQ(simulation.stats().frame, 1);
  EXPECT_EQ(simulation.time(), 1 / 24.0);
}

TEST(Observer, IsPolledBetweenSteps) {
  Simulation simulation = simulate(scenes()[2]);
  int polls = 0;
  EXPECT_FALSE(simulation.advance_until(1, {[&] { return ++polls == 4; }, {}, {}}));
  EXPECT_EQ(simulation.advance_steps(0), true);
  EXPECT_EQ(simulation.stats().total_steps, 3);
  EXPECT_FALSE(simulation.advance_steps(9, {[&] { return ++polls == 7; }, {}, {}}));
  EXPECT_EQ(simulation.stats().total_steps, 5);
}

TEST(Observer, WhatItThrowsIsAPauseToo) {
  for (const Scene& scene : scenes()) {
    Simulation whole = simulate(scene), thrown = simulate(scene);
    whole.advance_until(2 / 24.0);
    const auto frame_end = [](const StepInfo& step) { return step.time == 1 / 24.0; };
    for (const bool at_the_end : {false, true}) {
      const Observer thrower{{}, [&](const StepInfo& step) {
                               if (frame_end(step) == at_the_end) throw std::runtime_error("mine");
                               return true;
                             }};
      EXPECT_THROW(thrown.advance_until(1, thrower), std::runtime_error);
    }
    EXPECT_TRUE(thrown.advance_until(2 / 24.0));
    EXPECT_EQ(thrown.stats().frame, 2);
    EXPECT_TRUE(whole.save_state() == thrown.save_state());
  }
}

// Of whatever kind: what an inner simulation throws says nothing of this one.
TEST(Observer, WhatItThrowsIsItsOwn) {
  Simulation simulation = simulate(scenes()[0]);
  const auto thrower = [](auto error) {
    return Observer{{}, [error](const StepInfo&) -> bool { throw error; }, {}};
  };
  expect_error(ErrorCategory::kDiverged, {"inner"}, [&] {
    simulation.advance_frame(thrower(Error(ErrorCategory::kDiverged, "inner")));
  });
  EXPECT_THROW(simulation.advance_frame(thrower(std::bad_alloc())), std::bad_alloc);
  EXPECT_THROW(simulation.advance_frame(thrower(7)), int);
  EXPECT_TRUE(simulation.advance_frame());
  EXPECT_FALSE(simulation.save_state().empty());
}

TEST(Observer, ReadsWhatIsWithTheParticles) {
  for (const Scene& scene : scenes()) {
    Simulation simulation = simulate(scene);
    const auto dimension = static_cast<std::size_t>(scene.simulation.dimension);
    const auto look = [&](const StepInfo& step) {
      const Snapshot s = simulation.snapshot();
      EXPECT_EQ(static_cast<std::int64_t>(s.size()), step.particles);
      EXPECT_EQ(s.position.size(), dimension * s.size());
      EXPECT_EQ(s.mass.size(), s.size());
      EXPECT_EQ(s.velocity.size(), is_fused(scene) ? 0 : dimension * s.size());
      EXPECT_EQ(std::isnan(simulation.totals().kinetic), is_fused(scene));
      EXPECT_GT(simulation.totals().mass, 0);
      EXPECT_EQ(simulation.time(), step.time);
      return step.step % 5 != 0;
    };
    EXPECT_FALSE(simulation.advance_until(1, {{}, look, {}}));
    simulation.advance_steps(1);
    EXPECT_EQ(simulation.snapshot().velocity.size(), dimension * simulation.snapshot().size());
    EXPECT_GT(simulation.totals().kinetic, 0);
  }
}

// --- where calls end ---

TEST(AdvanceUntil, EndsExactlyAndCompletesTheFramesOnTheWay) {
  for (const Scene& scene : scenes()) {
    Simulation simulation = simulate(scene);
    Trace trace;
    for (const double t : {0.011, 0.05, 0.0501, 0.2}) {
      ASSERT_TRUE(simulation.advance_until(t, trace.observer()));
      EXPECT_EQ(simulation.time(), t);
      EXPECT_EQ(simulation.stats().frame, static_cast<int>(t * 24));
      EXPECT_EQ(simulation.stats().time, simulation.stats().frame / 24.0);
      EXPECT_EQ(simulation.snapshot().velocity.empty(), false);
    }
    ASSERT_EQ(trace.frames.size(), 4u);
    for (int frame = 1; frame <= 4; ++frame)
      EXPECT_EQ(trace.frames[static_cast<std::size_t>(frame - 1)].frame, frame);
    const auto state = simulation.save_state();
    EXPECT_TRUE(simulation.advance_until(0.2)) << "it is there";
    for (const double past : {0.1, 0.0, -1.0, -kInfinity})
      expect_error(ErrorCategory::kScene, {"is past", "at t = 0.2 s"},
                   [&] { simulation.advance_until(past); });
    EXPECT_TRUE(simulation.save_state() == state);
  }
}

// Between fused steps only a whole one brings velocities back to the particles.
TEST(AdvanceUntil, WhatAStepBehindAStopWentBeyondIsNotPast) {
  for (const Scene& scene : scenes()) {
    Simulation simulation = simulate(scene);
    EXPECT_FALSE(
        simulation.advance_until(1, {{}, [](const StepInfo& step) { return step.step < 5; }, {}}));
    const double t = simulation.time() + 1e-7;
    EXPECT_TRUE(simulation.advance_until(t));
    EXPECT_EQ(simulation.time() > t + 1e-7, is_fused(scene));
    EXPECT_TRUE(simulation.advance_until(t));
  }
}

// As a solver does that it is coupled to, however short its own steps are.
TEST(AdvanceUntil, GoesOnByAnyStep) {
  Scene scene = scenes()[1];
  Simulation simulation = simulate(scene);
  for (int i = 1; i <= 20; ++i) {
    const double next = simulation.time() + 1e-8;  // a quarter of a millionth of a frame
    ASSERT_TRUE(simulation.advance_until(next));
    ASSERT_EQ(simulation.time(), next);
  }
  simulation.advance_frame();
  const double next = simulation.time() + 1e-8;
  ASSERT_TRUE(simulation.advance_until(next));
  EXPECT_EQ(simulation.time(), next);
}

TEST(AdvanceUntil, TakesTheStepsOfFrames) {
  for (const Scene& scene : scenes()) {
    Simulation frames = simulate(scene), until = simulate(scene);
    for (int frame = 0; frame < 3; ++frame) frames.advance_frame();
    // A sum of tenths and the like is not quite the end of a frame; it means it all the same.
    until.advance_until(std::nextafter(1 / 24.0, 0));
    EXPECT_EQ(until.stats().frame, 1);
    EXPECT_EQ(until.time(), 1 / 24.0);
    until.advance_until(3 / 24.0 * (1 + 1e-12));
    EXPECT_EQ(until.stats().frame, 3);
    EXPECT_TRUE(frames.save_state() == until.save_state());
  }
}

TEST(AdvanceUntil, WithoutEndUntilItIsStopped) {
  Simulation simulation = simulate(scenes()[0]);
  EXPECT_FALSE(simulation.advance_until(
      kInfinity, {{}, {}, [](const FrameStats& frame) { return frame.frame < 3; }}));
  EXPECT_EQ(simulation.stats().frame, 3);
  expect_error(ErrorCategory::kScene, {"not a number"},
               [&] { simulation.advance_until(std::nan("")); });
}

// --- steps beside frames ---

TEST(AdvanceSteps, FramesGoOnFromThere) {
  for (const Scene& scene : scenes()) {
    Simulation simulation = simulate(scene);
    Trace trace;
    while (simulation.time() < 2.5 / 24) {
      EXPECT_TRUE(simulation.advance_steps(7, trace.observer()));
      EXPECT_EQ(simulation.stats().steps, 7);
      EXPECT_EQ(simulation.stats().time, simulation.time());
      EXPECT_EQ(simulation.stats().frame, static_cast<int>(simulation.time() * 24));
    }
    EXPECT_EQ(static_cast<std::int64_t>(trace.steps.size()), simulation.stats().total_steps);
    EXPECT_EQ(trace.frames.size(), 0u);
    const int passed = simulation.stats().frame;
    EXPECT_GE(passed, 2);
    simulation.load_state(simulation.save_state());
    EXPECT_TRUE(simulation.advance_frame(trace.observer()));
    EXPECT_EQ(trace.frames.size(), 1u);
    EXPECT_EQ(simulation.stats().frame, passed + 1);
    EXPECT_EQ(simulation.time(), (passed + 1) / 24.0);
  }
}

// A tap that drips: what has come out depends on the time alone.
TEST(AdvanceSteps, GoForward) {
  Simulation simulation = simulate(scenes()[0]);
  expect_error(ErrorCategory::kScene, {"advance_steps", ">= 0, found -1"},
               [&] { simulation.advance_steps(-1); });
  EXPECT_TRUE(simulation.advance_steps(0));
  EXPECT_EQ(simulation.time(), 0);
}

TEST(AdvanceSteps, SourcesEmitWhenTheyAreDue) {
  for (Scene scene : scenes()) {
    scene.sources[0].end = 1;
    Simulation steps = simulate(scene), until = simulate(scene);
    steps.advance_steps(1);
    const std::int64_t filling = steps.stats().emitted;  // of the shape, 0.1 m long
    EXPECT_GT(filling, 0);
    while (steps.time() < 0.22) steps.advance_steps(30);
    until.advance_until(steps.time());
    until.advance_steps(0);  // counts
    EXPECT_GE(steps.stats().emitted, 4 * filling);
    EXPECT_EQ(steps.stats().emitted, until.stats().emitted);
  }
}

// What the ground takes is the change of momentum that gravity does not account for, whatever span
// of time the mean is over. Single sums of some thousand roundings in double precision.
TEST(AdvanceSteps, ForcesAreMeansOverTheSteps) {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.5, 0.3, 0}))};
  scene.colliders = {collider("ground", ground(), BoundaryType::kSticky)};
  Simulation simulation = simulate(scene);
  const auto expect_balance = [&](auto&& advance) {
    const double start = simulation.time();
    const Totals before = simulation.totals();
    advance();
    const double seconds = simulation.time() - start;
    const double pushed = -simulation.stats().reactions[0].force[1] * seconds;
    const double gained = simulation.totals().momentum[1] - before.momentum[1];
    EXPECT_NEAR(pushed, gained + before.mass * 9.81 * seconds, 1e-9 * before.mass * 9.81);
  };
  expect_balance([&] { simulation.advance_frame(); });
  expect_balance([&] { simulation.advance_steps(25); });
  expect_balance([&] { simulation.advance_frame(); });  // the rest of one
  expect_balance([&] { simulation.advance_frame(); });
}

}  // namespace
}  // namespace firn::test
