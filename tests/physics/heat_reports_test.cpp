// What the thermal step says about itself: its solves, its memory and its time step before a run,
// phases that temperatures do not allow; and what temperature_flip does to a profile.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "tests/support/expect_error.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A block of fat that melts at 310 K on a warm stone.
Scene fat_on_stone(int dimension, Precision precision, double dx = 0.05) {
  Scene scene = thermal_scene(dimension, dx, precision);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.time.dt_max = 1e-2;
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
  scene.materials = {solid("fat", 1e4, kInfinity), solid("stone", 2e4, 1e6)};
  HeatProperties& heat = scene.materials[0].heat;
  heat.melting_point = 310;
  heat.melting_jitter = 2;
  heat.latent_heat = 2e4;
  scene.bodies = {body("fat", 0, box({0.2, 0.3, 0.2}, {0.6, 0.6, 0.6}), {0, -1, 0}),
                  body("stone", 1, box({0, 0, 0}, {0.8, 0.3, 0.8}))};
  scene.bodies[0].temperature.constant = 300;
  scene.bodies[1].temperature.constant = 340;
  scene.colliders = {
      collider("ball", sphere({0.8, 0.1, dimension == 3 ? 0.2 : 0.0}, 0.1), BoundaryType::kSlip)};
  return scene;
}

// --- statistics ---

TEST(HeatReports, EverySolveIsCounted) {
  Simulation simulation = simulate(fat_on_stone(2, Precision::kDouble));
  for (const int steps : {5, 8}) {
    const auto start = std::chrono::steady_clock::now();
    simulation.advance_steps(steps);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    const FrameStats s = simulation.stats();
    const SolverStats& heat = s.thermal.heat;
    EXPECT_EQ(heat.solves, steps) << "counted since the last report";
    EXPECT_EQ(s.pressure.solves, steps);
    EXPECT_GE(heat.iterations, heat.solves);
    EXPECT_GE(heat.max_iterations * heat.solves, heat.iterations);
    EXPECT_GT(heat.seconds, 0);
    EXPECT_GT(s.pressure.seconds, 0);
    EXPECT_LE(heat.seconds + s.pressure.seconds, wall.count());
  }
}

TEST(HeatReports, WithoutHeatNothingIsSolved) {
  Scene scene = fat_on_stone(2, Precision::kDouble);
  scene.thermal.heat = false;
  Simulation simulation = simulate(scene);
  simulation.advance_steps(3);
  EXPECT_EQ(simulation.stats().thermal.heat.solves, 0);
  EXPECT_EQ(simulation.stats().pressure.solves, 3);
}

// --- estimates ---

double bytes_of(const SceneEstimate& e) {
  return static_cast<double>(e.particle_bytes + e.grid_bytes + e.scratch_bytes);
}

TEST(HeatReports, EstimateSaysWhatARunTakes) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::kSingle, Precision::kDouble})
      for (double dx : {0.05, dimension == 2 ? 0.005 : 0.025})
        for (bool heat : {true, false}) {
          SCOPED_TRACE(testing::Message() << dimension << "D, dx " << dx << ", heat " << heat);
          Scene scene = fat_on_stone(dimension, precision, dx);
          scene.thermal.heat = heat;
          const SceneEstimate e = estimate(scene);
          Simulation simulation = simulate(scene);
          simulation.advance_steps(1);
          const auto taken = static_cast<double>(simulation.stats().memory_bytes);
          EXPECT_NEAR(bytes_of(e), taken, 0.1 * taken);
          EXPECT_EQ(e.limited_by, DtLimit::kWaveSpeed);
          EXPECT_EQ(e.limiting_material, "stone");
          EXPECT_NEAR(e.dt_limit, simulation.stats().dt_last, 1e-5 * e.dt_limit);
        }
}

TEST(HeatReports, EstimateCountsImplicitForces) {
  for (int dimension : {2, 3}) {
    Scene scene = fat_on_stone(dimension, Precision::kSingle, dimension == 2 ? 0.005 : 0.025);
    scene.thermal.forces = ForceIntegration::kSemiImplicit;
    const SceneEstimate e = estimate(scene);
    Simulation simulation = simulate(scene);
    simulation.advance_steps(1);
    const auto taken = static_cast<double>(simulation.stats().memory_bytes);
    EXPECT_NEAR(bytes_of(e), taken, 0.1 * taken) << dimension;
    EXPECT_GT(simulation.stats().thermal.forces.solves, 0);
  }
}

// What limits the first step, and that the step agrees.
DtLimit expect_limit(const Scene& scene) {
  const SceneEstimate e = estimate(scene);
  Simulation simulation = simulate(scene);
  simulation.advance_steps(1);
  EXPECT_NEAR(e.dt_limit, simulation.stats().dt_last, 1e-5 * e.dt_limit);
  return e.limited_by;
}

TEST(HeatReports, StepIsThatOfSolidsAtTheirTemperature) {
  Scene scene = fat_on_stone(2, Precision::kDouble);
  scene.bodies.pop_back();
  scene.bodies[0].velocity = {};
  EXPECT_EQ(expect_limit(scene), DtLimit::kWaveSpeed);
  const double warm = estimate(scene).dt_limit;
  scene.materials[0].lame.reset();
  scene.materials[0].poisson_ratio = 0.4;
  scene.materials[0].youngs_modulus_of_temperature = "2.8e4 * (1 + 3 * (310 - T) / 10)";
  EXPECT_EQ(expect_limit(scene), DtLimit::kWaveSpeed);
  EXPECT_NEAR(estimate(scene).dt_limit, warm / 2, 1e-2 * warm) << "four times as stiff at 300 K";
  scene.bodies[0].temperature.constant = 330;
  EXPECT_EQ(expect_limit(scene), DtLimit::kMaximum) << "liquid carries no shear waves";
  scene.materials[0].viscosity = 100;
  EXPECT_EQ(expect_limit(scene), DtLimit::kViscosity);
  scene.thermal.forces = ForceIntegration::kSemiImplicit;
  EXPECT_EQ(estimate(scene).limited_by, DtLimit::kMaximum);
  scene.bodies[0].temperature.constant = 300;
  EXPECT_EQ(estimate(scene).limited_by, DtLimit::kMaximum);
}

// --- phases ---

TEST(HeatReports, PhasesThatTemperaturesDoNotAllowAreRefused) {
  Scene scene = fat_on_stone(2, Precision::kDouble);
  scene.bodies[0].phase = Phase::kSolid;
  scene.bodies[0].temperature = {0, "290 + 40 * (y - 0.3)"};
  EXPECT_NO_THROW(simulate(scene));
  scene.bodies[0].temperature.expression = "290 + 100 * (y - 0.3)";  // to 320 K
  const auto expect_refused = [&](std::initializer_list<std::string> parts) {
    expect_error(ErrorCategory::kScene, parts, [&] { simulate(scene); });
    expect_error(ErrorCategory::kScene, parts, [&] { estimate(scene); });
  };
  expect_refused({"body \"fat\" at [", "it starts solid at 3", "'fat'", "molten", "310 +- 2 K"});
  scene.bodies[0].phase = Phase::kLiquid;
  expect_refused({"body \"fat\" at [", "it starts liquid at ", "frozen", "310 +- 2 K"});
  scene.bodies[0].phase.reset();
  EXPECT_NO_THROW(simulate(scene));

  Source tap;
  tap.name = "tap";
  tap.shape = box({0.7, 0.7, 0}, {0.9, 0.9, 0});
  tap.velocity = {0, -1, 0};
  tap.phase = Phase::kLiquid;
  tap.temperature = {0, "x > 0.8 ? 330 : 305"};
  scene.sources = {tap};
  expect_refused({"source \"tap\" at [0.7", "it starts liquid at 305 K"});
}

// --- temperature_flip ---

// How far a cosine of temperature has decayed, as an exponent, in matter that does not conduct.
struct Decay {
  double exponent, heat_lost;  // the latter relative to all
};
constexpr int kCells = 32, kSteps = 50;
constexpr double kPerCell = 2 * std::numbers::pi / kCells;  // k dx

Decay decay(double flip) {
  const double dx = 1.0 / kCells;
  Scene scene = thermal_scene(2, dx);
  scene.time.dt_max = 1e-2;
  scene.grid.domain = closed_box({0, 0, 0}, {1, 4 * dx, 0});
  scene.grid.domain->boundary[0] = scene.grid.domain->boundary[1] = BoundaryType::kPeriodic;
  scene.materials = {solid("pool", 0, kInfinity)};
  scene.materials[0].heat.conductivity = {1e-30, 1e-30};
  scene.bodies = {lattice("pool", box({0, 0, 0}, {1, 4 * dx, 0}))};
  scene.bodies[0].temperature = {0, "300 + cos(2 * pi * x)"};
  scene.thermal.temperature_flip = flip;
  Simulation simulation = simulate(scene);
  const auto amplitude = [&] {
    const Snapshot s = simulation.snapshot();
    double sum = 0;
    for (std::size_t i = 0; i < s.size(); ++i)
      sum += (static_cast<double>(s.temperature[i]) - 300) *
             std::cos(2 * std::numbers::pi * static_cast<double>(s.position[2 * i]));
    return sum;
  };
  const double before = amplitude(), heat = simulation.stats().totals.heat;
  simulation.advance_steps(kSteps);
  return {std::log(before / amplitude()), simulation.stats().totals.heat / heat - 1};
}

// Heat goes to the cells and back through the quadratic kernel, whose variance is dx^2 / 4: the
// grid's temperature is smoother by two of them, a share of 1 - beta of which is taken in every
// step. That is a diffusivity of (1 - beta) dx^2 / (4 dt), up to the next order in k dx.
TEST(HeatReports, TemperatureFlipDiffusesAsItsKernelsSay) {
  for (const double flip : {0.95, 0.5, 0.0}) {
    SCOPED_TRACE(flip);
    const Decay d = decay(flip);
    const double expected = kSteps * (1 - flip) * kPerCell * kPerCell / 4;
    EXPECT_NEAR(d.exponent, expected, kPerCell * kPerCell * expected);
    // Each step rounds the sums of a cell and the change of a particle, some ten operations.
    EXPECT_LE(std::abs(d.heat_lost), 10 * kSteps * std::numeric_limits<double>::epsilon());
  }
}

TEST(HeatReports, WithoutPicTemperaturesStayWhatTheyAre) {
  const Decay d = decay(1);
  EXPECT_NEAR(d.exponent, 0, 1e-6) << "temperatures of 300 K are known to 1.5e-5 K";
  EXPECT_EQ(d.heat_lost, 0);
}

// Two bodies that touch in an insulated box, one of which would be molten at the mean. Differences
// within a cell stayed for ever: 64 of 100 K after 24 seconds, and solids far above their melting
// point.
TEST(HeatReports, TemperaturesWithinACellSettle) {
  for (const Sampling sampling : {Sampling::kUniform, Sampling::kPoisson}) {
    constexpr double dx = 0.02;
    Scene scene = thermal_scene(2, dx);
    scene.simulation.fps = 2;
    scene.time.dt_max = 0.02;
    scene.grid.domain = closed_box({0, 0, 0}, {20 * dx, 10 * dx, 0});
    scene.materials = {solid("a", 4e3, 6e3)};
    HeatProperties& heat = scene.materials[0].heat;
    heat.capacity = {2000, 2000};
    heat.conductivity = {2e5, 2e5};
    heat.melting_point = 330;
    heat.latent_heat = 1e3;
    scene.bodies = {body("hot", 0, box({0, 0, 0}, {10 * dx, 10 * dx, 0})),
                    body("cold", 0, box({10 * dx, 0, 0}, {20 * dx, 10 * dx, 0}))};
    scene.bodies[0].temperature = {400, ""};
    scene.bodies[1].temperature = {300, ""};
    for (Body& b : scene.bodies) b.sampling = sampling;
    Simulation simulation = simulate(scene);
    const double before = simulation.stats().totals.heat;
    const auto range = [&] {
      const Snapshot s = simulation.snapshot();
      const auto [least, most] = std::minmax_element(s.temperature.begin(), s.temperature.end());
      return std::pair{static_cast<double>(*least), static_cast<double>(*most)};
    };
    for (int frame = 0; frame < 6; ++frame) {
      simulation.advance_frame();
      EXPECT_GE(range().first, 300 - 1e-3);
      EXPECT_LE(range().second, 400 + 1e-3);
    }
    EXPECT_LE(range().second - range().first, 0.01);
    const Snapshot s = simulation.snapshot();
    for (const auto phase : s.phase) EXPECT_EQ(phase, 1);
    EXPECT_NEAR(simulation.stats().totals.heat / before, 1, 1e-12);
  }
}

}  // namespace
}  // namespace firn::test
