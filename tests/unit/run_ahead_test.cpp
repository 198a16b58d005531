// The loop that enqueues steps before it knows how the last ones went, against a device that does
// nothing until it is waited for: every stop is noticed as late as it can be.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <stdexcept>

#include "src/run/run_ahead.h"

namespace firn {
namespace {

constexpr int kBatch = 8;
constexpr RunPace kAhead{kBatch, 2}, kStepByStep{1, 1},
    kPausing{kBatch, 2, std::chrono::milliseconds{0}};

// Steps of one length; what a step needs is there or not.
class LazyDevice {
 public:
  double dt = 1;
  std::uint64_t capacity = ~std::uint64_t{0};     // steps below it fit
  std::uint64_t fault_after = ~std::uint64_t{0};  // steps
  StepControl state{};

  int made_for_nothing = 0, grown = 0, most_pending = 0, idle_looks = 0;

  void enqueue(int n) {
    looks_.push_back({n, {}});
    most_pending = std::max(most_pending, pending());
  }
  int pending() const { return static_cast<int>(looks_.size()); }
  StepControl look() {
    if (looks_.empty()) throw std::logic_error("a look at nothing");
    // The device is idle while the host acts on a look with nothing enqueued behind it.
    idle_looks += pending() == 1;
    run(looks_.front());
    const StepControl seen = looks_.front().seen;
    looks_.pop_front();
    return seen;
  }
  void forget() {
    finish();  // the steps are made all the same
    looks_.clear();
  }
  // What is enqueued comes before anything that the host does next.
  StepControl& finish() {
    for (Look& look : looks_) run(look);
    return state;
  }
  void act(const StepControl& c) {
    if ((c.stop & kStopDiverged) != 0) throw std::domain_error("diverged");
    if ((c.stop & kStopOverflow) == 0) return;
    finish();
    capacity *= 2;
    ++grown;
    state = c;
    state.stop &= ~kStopOverflow;
  }

 private:
  struct Look {
    int steps;  // to make before it
    StepControl seen;
  };
  void run(Look& look) {
    if (look.steps == 0) return;
    for (; look.steps > 0; --look.steps) step();
    look.seen = state;
  }
  void step() {
    if (state.stop == 0 && state.step >= capacity) {
      state.stop |= kStopOverflow;
      state.grid_saved = 1;  // half of the step is done
    }
    if (state.stop != 0) {
      ++made_for_nothing;
      return;
    }
    state.dt = std::min(dt, state.target - state.time);
    state.time += state.dt;
    ++state.step;
    state.grid_saved = 0;
    if (state.time >= state.target) state.stop |= kStopTarget;
    if (state.step == fault_after) state.stop |= kStopDiverged;
  }

  std::deque<Look> looks_;
};

RunGoal steps(std::uint64_t end) {
  return {[end](const StepControl& c) { return c.step >= end; },
          [end](const StepControl& c) { return static_cast<double>(end - c.step); }};
}
RunGoal target() {
  return {[](const StepControl& c) { return (c.stop & kStopTarget) != 0; },
          [](const StepControl& c) {
            return c.dt > 0 ? std::ceil((c.target - c.time) / c.dt) : double{kBatch};
          }};
}

TEST(RunAhead, MakesExactlyTheStepsAskedFor) {
  for (const int n : {1, kBatch - 1, kBatch, kBatch + 1, 2 * kBatch, 2 * kBatch + 1, 1000})
    for (const RunPace& pace : {kAhead, kStepByStep}) {
      LazyDevice device;
      device.state.target = 1e9;
      EXPECT_TRUE(run_ahead(device, device.state, steps(static_cast<std::uint64_t>(n)), pace, {}));
      EXPECT_EQ(device.state.step, static_cast<std::uint64_t>(n));
      EXPECT_EQ(device.made_for_nothing, 0);
      EXPECT_EQ(device.pending(), 0);
    }
}

TEST(RunAhead, TheDeviceHasWorkWhileTheHostLooks) {
  LazyDevice device;
  device.state.target = 1e9;
  run_ahead(device, device.state, steps(1000), kAhead, {});
  EXPECT_EQ(device.most_pending, 2);
  EXPECT_EQ(device.idle_looks, 1);  // the last one
}

TEST(RunAhead, WaitsForEachStepWhereTheHostIsNeeded) {
  LazyDevice device;
  device.state.target = 100;
  run_ahead(device, device.state, target(), kStepByStep, {});
  EXPECT_EQ(device.state.step, 100u);
  EXPECT_EQ(device.most_pending, 1);
  EXPECT_EQ(device.made_for_nothing, 0);
}

TEST(RunAhead, ReachesTheTargetWithoutStepsForNothing) {
  for (const double length : {1.0, 2.5, 16.0, 17.0, 100.0}) {
    LazyDevice device;
    device.state.target = length;
    device.state.dt = device.dt;  // of the step before
    EXPECT_TRUE(run_ahead(device, device.state, target(), kAhead, {}));
    EXPECT_EQ(device.state.step, static_cast<std::uint64_t>(std::ceil(length)));
    device.forget();
    EXPECT_EQ(device.made_for_nothing, 0) << length;
  }
}

// The estimate may be wrong by any factor: too long a step only costs looks, too short a one only
// the steps of two batches.
TEST(RunAhead, ReachesTheTargetWithAWrongEstimate) {
  for (const double factor : {0.01, 0.5, 2.0, 100.0}) {
    LazyDevice device;
    device.state.target = 50;
    device.state.dt = device.dt * factor;
    EXPECT_TRUE(run_ahead(device, device.state, target(), kAhead, {}));
    EXPECT_EQ(device.state.step, 50u);
    device.forget();
    EXPECT_LT(device.made_for_nothing, 2 * kBatch);
  }
}

TEST(RunAhead, LooksOfTheLastRunAreNotThoseOfTheNext) {
  LazyDevice device;
  for (const double length : {50.0, 100.0, 150.0}) {
    StepControl& c = device.finish();
    c.target = length;
    c.stop &= ~kStopTarget;
    RunGoal goal = target();
    goal.left = [](const StepControl&) { return 100.0; };  // so more is enqueued than needed
    run_ahead(device, c, goal, kAhead, {});
    EXPECT_GT(device.pending(), 0);
    EXPECT_EQ(device.state.time, length);
  }
}

TEST(RunAhead, GrowsOnceAndGoesOn) {
  LazyDevice device;
  device.state.target = 1e9;
  device.capacity = 50;
  run_ahead(device, device.state, steps(100), kAhead, {});
  EXPECT_EQ(device.state.step, 100u);
  EXPECT_EQ(device.grown, 1);  // though two looks tell of it
  EXPECT_GT(device.made_for_nothing, 0);
  EXPECT_EQ(device.idle_looks, 1);  // the pace is the old one afterwards
}

TEST(RunAhead, AFaultEndsItAtItsStep) {
  LazyDevice device;
  device.state.target = 1e9;
  device.fault_after = 11;
  EXPECT_THROW(run_ahead(device, device.state, steps(100), kAhead, {}), std::domain_error);
  EXPECT_EQ(device.state.step, 11u);
}

TEST(RunAhead, InterruptedItLeavesNothingEnqueued) {
  for (const int asked_at : {0, 1, 2, 5}) {
    LazyDevice device;
    device.state.target = 1e9;
    int polls = 0;
    const std::function<bool()> once = [&] { return polls++ == asked_at; };
    EXPECT_FALSE(run_ahead(device, device.state, steps(1000), kPausing, once));
    EXPECT_EQ(device.pending(), 0);
    EXPECT_EQ(device.state.stop, 0u);
    EXPECT_EQ(device.state.step, static_cast<std::uint64_t>(asked_at) * 2 * kBatch);
  }
}

TEST(RunAhead, AnInterruptedRunStillGrows) {
  LazyDevice device;
  device.state.target = 1e9;
  device.capacity = 5;
  int polls = 0;
  EXPECT_FALSE(
      run_ahead(device, device.state, steps(1000), kPausing, [&] { return polls++ == 1; }));
  EXPECT_EQ(device.state.stop & kStopOverflow, 0u);
  EXPECT_EQ(device.state.grid_saved, 0u);  // and completes the step that it grew in
  EXPECT_EQ(device.pending(), 0);
}

// Whoever is asked may save what is there.
TEST(RunAhead, AsksOnlyWhereNothingIsUnderWay) {
  LazyDevice device;
  device.state.target = 1e9;
  device.capacity = 5;
  int polls = 0;
  const auto poll = [&] {
    EXPECT_EQ(device.pending(), 0);
    EXPECT_EQ(device.state.grid_saved, 0u);
    EXPECT_EQ(device.state.stop, 0u);
    ++polls;
    return false;
  };
  EXPECT_TRUE(run_ahead(device, device.state, steps(1000), kPausing, poll));
  EXPECT_GT(polls, 50);
  EXPECT_EQ(device.grown, 8);
}

// A scene whose steps take no time asks once, and is not held up.
TEST(RunAhead, PausesAreRare) {
  LazyDevice device;
  device.state.target = 1e9;
  RunPace pace = kAhead;
  pace.between_pauses = std::chrono::hours{1};
  int polls = 0;
  EXPECT_TRUE(run_ahead(device, device.state, steps(1000), pace, [&] { return ++polls == 0; }));
  EXPECT_EQ(polls, 1);
  EXPECT_EQ(device.idle_looks, 1);
}

}  // namespace
}  // namespace firn
