// The baseline that Firn's speed is compared with computes the same: a block thrown on the floor
// ends where Firn's does, up to rounding, and a baseline of slightly other physics does not.
#include "bench/baseline/baseline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "firn/error.h"
#include "tests/support/device.h"
#include "tests/support/sim_scenes.h"

namespace firn {
namespace {

using baseline::Baseline;
using baseline::Parameters;

constexpr double kDx = 0.01, kFloor = 8 * kDx, kSide = 16 * kDx;

// It lands askew, so that the material turns and shears as well as being squeezed.
constexpr Vec3 kThrow{1, -1, 0.5};  // m/s

double wave_speed(const Parameters& p) {
  const double nu = p.poisson_ratio;
  return std::sqrt(p.youngs_modulus * (1 - nu) / ((1 + nu) * (1 - 2 * nu) * p.density));
}

// 32768 particles; steps half as long as the material at rest would allow, so that all are dt_max.
Scene block_scene(Precision precision) {
  Scene scene = test::empty_scene(3, kDx, precision);
  scene.time.dt_max = 0.5 * static_cast<double>(baseline::stable_step({}));
  scene.materials = {test::elastic("elastic")};
  const double end = kFloor + kSide;
  scene.bodies = {
      test::body("block", 0, test::box({kFloor, kFloor, kFloor}, {end, end, end}), kThrow)};
  scene.bodies[0].particles_per_cell = 8;
  scene.bodies[0].sampling = Sampling::kUniform;
  // Nodes that lie in another collider as well depend on no others: they are held as they are.
  scene.colliders = {test::collider("ground", test::ground(kFloor), BoundaryType::kSticky),
                     test::collider("below", test::ground(kFloor), BoundaryType::kSeparate)};
  return scene;
}

struct State {
  std::vector<float> start, position, velocity;
  double volume = 0, dt = 0;
  int steps = 0;
};

State run_firn(Precision precision, int steps) {
  const Scene scene = block_scene(precision);
  Simulation simulation = test::simulate(scene);
  State state;
  const Snapshot first = simulation.snapshot();
  state.start = first.position;
  state.volume = static_cast<double>(first.volume[0]);
  simulation.advance_steps(steps);
  const FrameStats stats = simulation.stats();
  EXPECT_EQ(stats.steps, steps);
  state.steps = steps;
  EXPECT_EQ(stats.dt_min, stats.dt_max);
  state.dt = stats.dt_last;
  const Snapshot last = simulation.snapshot();
  state.position = last.position;
  state.velocity = last.velocity;
  return state;
}

Parameters parameters_of(const State& firn) {
  Parameters parameters;
  parameters.dx = kDx;
  parameters.floor = kFloor;
  parameters.volume = firn.volume;
  parameters.initial_velocity = kThrow;
  return parameters;
}

// `run` is a Baseline or BaselineCuda that starts where Firn did.
template <class Run>
State advance(Run&& run, const State& firn) {
  for (int k = 0; k < firn.steps; ++k) run.step(static_cast<float>(firn.dt));
  const auto& position = run.positions();
  const auto& velocity = run.velocities();
  State state;
  state.position.assign(position.begin(), position.end());
  state.velocity.assign(velocity.begin(), velocity.end());
  return state;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
  return largest;
}

struct Tolerance {
  double velocity, position;
};

// Each step rounds F by about eps; so does the stress, since the weights err by eps reach / dx and
// strains stay below dx / reach. Over n steps of two runs that adds up to sqrt(2 n) eps, like a
// random walk, and the largest of 1e5 numbers lies within five standard deviations. A strain e that
// is set free moves the material at e times the wave speed. Positions differ by what such
// velocities do in the time of the run, and by their own rounding in each step.
Tolerance rounding(const State& firn) {
  constexpr double eps = std::numeric_limits<float>::epsilon();
  const double walk = 5 * std::sqrt(2.0 * firn.steps) * eps;
  const double velocity = walk * wave_speed({});
  return {velocity, velocity * firn.steps * firn.dt + walk * (kFloor + kSide)};
}

void expect_same(const State& firn, const State& other) {
  EXPECT_LE(largest_difference(firn.velocity, other.velocity), rounding(firn).velocity);
  EXPECT_LE(largest_difference(firn.position, other.position), rounding(firn).position);
}

TEST(BaselineSteps, AgreeWithFirnUpToRounding) {
  for (Precision precision : {Precision::kSingle, Precision::kDouble}) {
    SCOPED_TRACE(precision == Precision::kSingle ? "Firn in single" : "Firn in double");
    const State firn = run_firn(precision, 40);
    for (int threads : {1, 2}) {
      SCOPED_TRACE(threads);
      expect_same(firn, advance(Baseline(firn.start, parameters_of(firn), threads), firn));
    }
  }
}

// Both are measured at the same step.
TEST(BaselineSteps, StableStepIsFirnsOwn) {
  Scene scene = block_scene(Precision::kSingle);
  scene.time = {};
  const double dt = baseline::stable_step(parameters_of({}));
  EXPECT_NEAR(dt, estimate(scene).dt_limit, std::numeric_limits<float>::epsilon() * dt);
}

#if defined(FIRN_WITH_CUDA)
TEST(GpuBaseline, AgreesWithFirnUpToRounding) {
  if (const auto why = test::no_device(); !why.empty()) GTEST_SKIP() << why;
  const State firn = run_firn(Precision::kSingle, 40);
  expect_same(firn, advance(baseline::BaselineCuda(firn.start, parameters_of(firn)), firn));
}

TEST(GpuBaseline, IsMeasured) {
  if (const auto why = test::no_device(); !why.empty()) GTEST_SKIP() << why;
  const State firn = run_firn(Precision::kSingle, 1);
  const baseline::Figures figures = baseline::measure_cuda(parameters_of(firn), firn.start, 2);
  EXPECT_EQ(3 * figures.particles, static_cast<std::int64_t>(firn.start.size()));
  EXPECT_GT(figures.seconds_per_step, 0);
}
#endif

// What the comparison must tell apart.
TEST(BaselineSteps, OtherPhysicsDiffersByMoreThanRounding) {
  const State firn = run_firn(Precision::kSingle, 12);
  const auto expect_other = [&](const char* what, auto change) {
    SCOPED_TRACE(what);
    Parameters parameters = parameters_of(firn);
    change(parameters);
    const State other = advance(Baseline(firn.start, parameters, 1), firn);
    EXPECT_GT(largest_difference(firn.velocity, other.velocity), 10 * rounding(firn).velocity);
  };
  expect_other("stress sign", [](Parameters& p) { p.youngs_modulus = -p.youngs_modulus; });
  expect_other("stiffness", [](Parameters& p) { p.youngs_modulus *= 1.01; });
  expect_other("Poisson ratio", [](Parameters& p) { p.poisson_ratio += 0.01; });
  expect_other("floor", [](Parameters& p) { p.floor -= kDx; });
  expect_other("gravity", [](Parameters& p) { p.gravity *= 0.9; });
}

// A particle on a node: 3/4 of its weight along each axis is that node's, which the floor holds or,
// just below it, does not. What is left is the node above, 1/8.
TEST(BaselineSteps, FloorHoldsTheNodeAtItsHeight) {
  const std::vector<float> start{0.1f, static_cast<float>(kFloor), 0.1f};
  Parameters parameters;
  parameters.initial_velocity = {1, 0, 0};
  parameters.gravity = 0;
  const auto speed_after_a_step = [&](double floor) {
    parameters.floor = floor;
    Baseline run(start, parameters, 1);
    run.step(1e-5f);
    return static_cast<double>(run.velocities()[0]);
  };
  // Places in cells, 8 and 10, are rounded by so many eps; weights change by less than that.
  const double rounding = 20 * static_cast<double>(std::numeric_limits<float>::epsilon());
  EXPECT_NEAR(speed_after_a_step(kFloor), 0.125, rounding);
  EXPECT_NEAR(speed_after_a_step(kFloor - 0.1 * kDx), 0.875, rounding);
}

TEST(BaselineSteps, ParticlesThatLeaveTheGridAreReported) {
  const std::vector<float> start{0.1f, 0.1f, 0.1f};
  Parameters parameters;
  parameters.margin = 2;
  parameters.initial_velocity = {1, 0, 0};
  Baseline run(start, parameters, 1);
  run.step(0.03f);
  EXPECT_THROW(run.step(0.03f), Error);
}

TEST(BaselineSteps, RefusesToRunWithoutParticles) {
  EXPECT_THROW(Baseline({}, Parameters{}, 1), Error);
}

TEST(BaselineSteps, AreMeasured) {
  const std::vector<float> start{0.1f, 0.1f, 0.1f, 0.11f, 0.1f, 0.1f};
  const baseline::Figures figures = baseline::measure_cpu({}, start, 2, 1);
  EXPECT_EQ(figures.particles, 2);
  EXPECT_GT(figures.seconds_per_step, 0);
}

}  // namespace
}  // namespace firn
