// A force of the user's in fused steps: it kicks what lies on the grid as it kicks particles, once,
// whoever is late, whatever grows, and wherever a run is saved.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/support/device.h"
#include "tests/support/expect_error.h"
#include "tests/support/forces.h"
#include "tests/support/library_scenes.h"

namespace firn::test {
namespace {

constexpr double kPull = 400, kDrag = 5;  // 1/s^2, 1/s

// Towards the origin, against the velocity, and a bit to a side that depends on the particle.
template <class Real>
void fill_spring(const ForceStep& step) {
  for (std::int64_t c = 0; c < step.id.chunks; ++c)
    for (int k = 0; k < step.dimension; ++k)
      for (int lane = 0; lane < step.id.count(c); ++lane) {
        const double x = step.position.at<Real>(c, k, lane), v = step.velocity.at<Real>(c, k, lane);
        const auto id = step.id.at<std::uint32_t>(c, 0, lane);
        step.acceleration.at<Real>(c, k, lane) =
            static_cast<Real>(-kPull * x - kDrag * v + 0.1 * (id % 7));
      }
}
void spring(const ForceStep& step) {
  if (step.acceleration.type == ElementType::kFloat)
    fill_spring<float>(step);
  else
    fill_spring<double>(step);
}

// Balls that meet each other at the origin and stop there.
Scene meeting_balls(int dimension, Precision precision, const TransferSettings& transfer) {
  Scene scene = two_balls({dimension, precision, true});
  scene.transfer = transfer;
  scene.time.dt_max = 1e-3;
  return scene;
}

void expect_agreement(Scene scene, const RunOptions& options, int steps) {
  Simulation fused(scene, options);
  scene.simulation.fused = false;
  Simulation plain(scene, options);
  for (Simulation* s : {&fused, &plain}) {
    s->set_force(spring);
    s->advance_steps(steps);
  }
  const FrameStats stats = fused.stats();
  EXPECT_LT(stats.layouts, stats.total_steps / 2);
  EXPECT_EQ(stats.total_steps, plain.stats().total_steps);
  EXPECT_GT(stats.max_speed, 1) << "nothing has happened";
  const bool is_double = scene.simulation.precision == Precision::kDouble;
  const double rounding = is_double ? 1e-11 : 2e-5;
  const auto x = fused.field<double>("position"), y = plain.field<double>("position");
  const auto v = fused.field<double>("velocity"), w = plain.field<double>("velocity");
  ASSERT_EQ(x.size(), y.size());
  double position = 0, velocity = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    position = std::max(position, std::abs(x[i] - y[i]));
    velocity = std::max(velocity, std::abs(v[i] - w[i]));
  }
  EXPECT_LT(position, rounding);
  EXPECT_LT(velocity, 100 * rounding);
}

std::vector<TransferSettings> transfers() {
  std::vector<TransferSettings> all(8);
  all[1].type = TransferType::kFlip;
  all[1].blend = 0.95;
  all[2].type = TransferType::kAflip;
  all[2].blend = 0.95;
  all[3].type = TransferType::kPic;
  all[4].type = TransferType::kPolypic;
  all[5].kernel = 3;
  all[6].advection = AdvectionMap::kAffine;
  all[7].force = ForceForm::kGradient;
  return all;
}

TEST(FusedForce, KicksAsPlainStepsDo) {
  for (const int dimension : {2, 3})
    for (const Precision precision : {Precision::kSingle, Precision::kDouble})
      for (const TransferSettings& transfer : transfers()) {
        SCOPED_TRACE(std::to_string(dimension) + "d, transfer " +
                     std::to_string(static_cast<int>(transfer.type)) + ", kernel " +
                     std::to_string(transfer.kernel));
        expect_agreement(meeting_balls(dimension, precision, transfer), {Device::kCpu, 2}, 80);
      }
}
TEST(GpuFusedForce, KicksAsPlainStepsDo) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  expect_agreement(meeting_balls(2, Precision::kSingle, {}), {Device::kCuda}, 60);
  expect_agreement(meeting_balls(2, Precision::kDouble, transfers()[1]), {Device::kCuda}, 60);
  expect_agreement(meeting_balls(3, Precision::kSingle, transfers()[5]), {Device::kCuda}, 40);
  expect_agreement(meeting_balls(3, Precision::kDouble, {}), {Device::kCuda}, 40);
}

// Thrown at a cell per step, and faster in every step, by the force: tiles do not reach that far.
TEST(FusedForce, KicksLateParticlesOnce) {
  for (const int dimension : {2, 3}) {
    SCOPED_TRACE(dimension);
    Scene scene = empty_scene(dimension, 0.05, Precision::kDouble);
    scene.materials = {elastic("jelly"), elastic("chalk", MaterialModel::kNeoHookean, 1e4)};
    const double z = dimension == 3 ? 0.3 : 0;
    scene.bodies = {body("slow", 0, sphere({0.3, 0.3, z}, 0.12)),
                    body("fast", 1, sphere({0.9, 0.3, z}, 0.1), {40, 10, 0})};
    scene.simulation.gravity = {0, 0, 0};
    scene.time.cfl = 1;
    Simulation simulation = simulate(scene);
    const Totals before = simulation.totals();
    simulation.set_force(force_of([](std::uint32_t, double) { return Vec3{0, -30000, 0}; }));
    simulation.advance_frame();
    const FrameStats stats = simulation.stats();
    EXPECT_GT(stats.late, 0);
    const double fallen = simulation.totals().momentum[1] - before.momentum[1];
    const double expected = -30000 * before.mass * simulation.time();
    EXPECT_NEAR(fallen, expected, 1e-11 * std::abs(expected));
  }
}

// A step that finds no room runs again, and what the grid holds has been kicked already: a cloud is
// blown apart.
TEST(FusedForce, KicksOnceWhereTheGridGrows) {
  Scene scene = empty_scene(3, 0.1, Precision::kDouble);
  scene.simulation.gravity = {0, 0, 0};
  scene.materials = {elastic("gas", MaterialModel::kFixedCorotated, 1)};
  scene.bodies = {body("cloud", 0, sphere({0, 0, 0}, 0.25))};
  Simulation simulation = simulate(scene);
  double impulse = 0, sizes = 0;
  simulation.set_force([&](const ForceStep& step) {
    for (std::int64_t c = 0; c < step.id.chunks; ++c)
      for (int lane = 0; lane < step.id.count(c); ++lane)
        for (int k = 0; k < 3; ++k) {
          const double a = 4000 * step.position.at<double>(c, k, lane) + 7 * k;
          step.acceleration.at<double>(c, k, lane) = a;
          if (k != 1) continue;
          impulse += step.mass.at<double>(c, 0, lane) * a * step.dt;
          sizes += step.mass.at<double>(c, 0, lane) * std::abs(a) * step.dt;
        }
  });
  std::int64_t grown = 0, in_place = 0;
  for (int frame = 0; frame < 2; ++frame) {
    simulation.advance_frame();
    const FrameStats stats = simulation.stats();
    grown += stats.grown;
    in_place = stats.total_steps - stats.layouts;
  }
  EXPECT_GT(grown, 0);
  EXPECT_GT(in_place, 0) << "no step was fused";
  EXPECT_NEAR(simulation.totals().momentum[1], impulse, 1e-11 * sizes);
}

// After every step the state is saved and loaded, every second time by another simulation.
TEST(FusedForce, GoesOnBitForBitFromBetweenFusedSteps) {
  for (const int dimension : {2, 3}) {
    const Scene scene = meeting_balls(dimension, Precision::kSingle, {});
    Simulation whole = simulate(scene), halted = simulate(scene);
    for (Simulation* s : {&whole, &halted}) s->set_force(spring);
    constexpr double kEnd = 1.0 / 24;
    whole.advance_until(kEnd);
    std::int64_t made = 0;
    const Observer one_step{
        {}, [&](const StepInfo& step) { return (made = step.step, false); }, {}};
    while (!halted.advance_until(kEnd, one_step)) {
      const auto saved = halted.save_state();
      if (made % 2 == 0) {
        halted = simulate(scene);
        halted.set_force(spring);
      }
      halted.load_state(saved);
    }
    EXPECT_GT(made, 40);
    EXPECT_LT(whole.stats().layouts, made / 2);
    EXPECT_TRUE(whole.save_state() == halted.save_state());
  }
}

// A state from between fused steps has velocities on the grid, which nothing else can go on with.
TEST(FusedForce, StatesFromBetweenFusedStepsSayWhatTheyNeed) {
  Scene scene = two_balls({2, Precision::kDouble, true});
  Simulation fused = simulate(scene);
  int left = 3;
  const Observer three{{}, [&](const StepInfo&) { return --left > 0; }, {}};
  ASSERT_FALSE(fused.advance_until(1, three));
  scene.simulation.fused = false;
  Simulation plain = simulate(scene);
  expect_error(ErrorCategory::kFile, {"between two fused steps"},
               [&] { plain.load_state(fused.save_state()); });
}

// What it would be told of velocities is nowhere, until a step brings them back.
TEST(FusedForce, IsRefusedWhereVelocitiesLieOnTheGrid) {
  Simulation simulation = simulate(two_balls({2, Precision::kDouble, true}));
  int left = 3;
  const Observer three{{}, [&](const StepInfo&) { return --left > 0; }, {}};
  ASSERT_FALSE(simulation.advance_until(1, three));
  simulation.set_force(spring);
  expect_error(ErrorCategory::kScene, {"set_force", "between two fused steps"},
               [&] { simulation.advance_steps(1); });
  simulation.set_force({});
  simulation.advance_steps(1);
  simulation.set_force(spring);
  simulation.advance_steps(2);
  EXPECT_EQ(simulation.stats().total_steps, 6);
}

}  // namespace
}  // namespace firn::test
