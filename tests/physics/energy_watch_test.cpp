// The balance of energy that every frame has: what is fed is not taken for a gain, a gain is seen,
// and the scene says what becomes of it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "src/run/energy_watch.h"
#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/rigid_scenes.h"

namespace firn::test {
namespace {

double energy_of(const Simulation& s) {
  const Totals t = s.totals();
  return t.kinetic + t.elastic + t.potential;
}

// A disc that spins freely. All nine modes of the quadratic kernel keep what no force sees.
Scene spinning_disc(int modes) {
  Scene scene = empty_scene(2, 0.04, Precision::kSingle);
  scene.simulation.gravity = {};
  scene.transfer.type = TransferType::kPolypic;
  scene.transfer.modes = modes;
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("disc", 0, sphere({0, 0, 0}, 0.3))};
  scene.bodies[0].angular_velocity = {0, 0, 6};
  return scene;
}

TEST(EnergyWatch, SeesADiscThatGainsEnergyAndNotOneThatKeepsIt) {
  Simulation keeps = simulate(spinning_disc(4)), gains = simulate(spinning_disc(9));
  const double start = energy_of(gains);
  for (int frame = 0; frame < 48; ++frame) {
    keeps.advance_frame();
    gains.advance_frame();
  }
  EXPECT_LT(keeps.stats().energy.growth, 0.01);
  EXPECT_GT(gains.stats().energy.growth, 0.5);
  // It has lost next to nothing before.
  EXPECT_NEAR(gains.stats().energy.gained, energy_of(gains) - start, 0.05 * start);
}

TEST(EnergyWatch, StopsARunThatAsksForIt) {
  Scene scene = spinning_disc(9);
  scene.diagnostics.on_energy_growth = OnGrowth::kStop;
  Simulation simulation = simulate(scene);
  try {
    for (int frame = 0; frame < 48; ++frame) simulation.advance_frame();
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kDiverged);
    EXPECT_NE(std::string(error.what()).find("energy has grown by"), std::string::npos);
    ASSERT_NE(error.divergence(), nullptr);
    EXPECT_EQ(error.divergence()->step, simulation.stats().total_steps);
  }
}

TEST(EnergyWatch, NamesWhatHelpsTheStepsOfTheScene) {
  const auto names = [](Integrator integrator, TransferType transfer, const char* remedy) {
    Scene scene = empty_scene(2, 0.04);
    scene.simulation.integrator = integrator;
    scene.transfer.type = transfer;
    return describe_growth(scene, {}, 1).find(remedy) != std::string::npos;
  };
  for (Integrator i : {Integrator::kOptimization, Integrator::kSemiImplicit}) {
    EXPECT_TRUE(names(i, TransferType::kApic, "time.dt_max"));
    EXPECT_TRUE(names(i, TransferType::kApic, "implicit.tolerance"));
    EXPECT_FALSE(names(i, TransferType::kFlip, "time.cfl"));
  }
  EXPECT_TRUE(names(Integrator::kExplicit, TransferType::kApic, "time.cfl"));
  EXPECT_FALSE(names(Integrator::kExplicit, TransferType::kApic, "a transfer that damps"));
  EXPECT_TRUE(names(Integrator::kExplicit, TransferType::kFlip, "a transfer that damps"));
}

TEST(EnergyWatch, WhatASourceBringsIsFed) {
  Scene scene = liquid_scene(2, 0.02, Precision::kSingle);
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
  Source tap;
  tap.name = "tap";
  tap.shape = box({0.4, 0.7, 0}, {0.5, 0.75, 0});
  tap.velocity = {0, -1, 0};
  tap.end = 0.5;
  scene.sources = {tap};
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 24; ++frame) simulation.advance_frame();
  const FrameStats stats = simulation.stats();
  // A jet 0.1 m wide, at 1 m/s: 5 kg that fill the shape, 0.725 m above the floor, then for half a
  // second what comes in below its upper end, half a cell at a time, 0.745 m above the floor.
  const double mass = stats.totals.mass, inflow = mass - 5;
  EXPECT_NEAR(inflow, 49, 1);
  EXPECT_NEAR(stats.energy.fed, mass * 0.5 + 9.81 * (5 * 0.725 + inflow * 0.745), 0.01 * mass);
  EXPECT_LT(stats.energy.growth, 0.01);
}

// Without gravity a wall that starts at once pushes a block before it.
TEST(EnergyWatch, WhatAMovedBodyDoesIsFed) {
  for (const Vec3& turn : {Vec3{}, Vec3{0, 0, 2}}) {
    Scene scene = empty_scene(2, 0.04, Precision::kDouble);
    scene.simulation.gravity = {};
    scene.materials = {elastic("jelly")};
    scene.bodies = {body("block", 0, box({0.1, 0, 0}, {0.5, 0.4, 0}))};
    Collider wall = collider("wall", box({-0.4, -0.5, 0}, {0.1, 0.9, 0}), BoundaryType::kSticky);
    wall.motion = Keyframes{{0, 1}, {{0, 0, 0}, {1, 0.5, 0}}, {{0, 0, 0}, turn}, {0.3, -0.2, 0}};
    scene.colliders = {wall};
    Simulation simulation = simulate(scene);
    for (int frame = 0; frame < 12; ++frame) simulation.advance_frame();
    const FrameStats stats = simulation.stats();
    EXPECT_GT(energy_of(simulation), 0.1 * stats.totals.mass);
    EXPECT_GT(stats.energy.fed, energy_of(simulation));  // the impact takes its share
    EXPECT_LT(stats.energy.fed, 2.5 * energy_of(simulation));
    EXPECT_LT(stats.energy.growth, 0.01);
  }
}

TEST(EnergyWatch, HoldsForAllIntegratorsAtOnceWithSourcesSinksAndMovedBodies) {
  for (const Scene& scene :
       {busy_scene(2, Precision::kSingle), busy_liquid_scene(2, Precision::kSingle)}) {
    Simulation simulation = simulate(scene);
    double most = 0;
    for (int frame = 0; frame < 24; ++frame) {
      simulation.advance_frame();
      most = std::max(most, simulation.stats().energy.growth);
    }
    EXPECT_LT(most, 0.05);
  }
}

TEST(EnergyWatch, GoesOnFromASavedState) {
  const Scene scene = busy_scene(2, Precision::kSingle);
  Simulation whole = simulate(scene), half = simulate(scene);
  for (int frame = 0; frame < 4; ++frame) half.advance_frame();
  Simulation rest = simulate(scene);
  rest.load_state(half.save_state());
  EXPECT_EQ(rest.stats().energy.fed, half.stats().energy.fed);
  for (int frame = 0; frame < 8; ++frame) whole.advance_frame();
  for (int frame = 0; frame < 4; ++frame) rest.advance_frame();
  EXPECT_EQ(rest.stats().energy.fed, whole.stats().energy.fed);
  EXPECT_EQ(rest.stats().energy.gained, whole.stats().energy.gained);
  EXPECT_EQ(rest.stats().energy.growth, whole.stats().energy.growth);
}

TEST(EnergyWatch, TakesWhatTheCallerAddsForANewStart) {
  Scene scene = spinning_disc(4);
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  NewParticles fast;
  fast.material = "jelly";
  for (int i = 0; i < 100; ++i) {
    fast.position.push_back({1 + 0.02 * (i % 10), 0.02 * (i / 10), 0});
    fast.velocity.push_back({100, 0, 0});
  }
  simulation.add_particles(fast);
  for (int frame = 0; frame < 3; ++frame) simulation.advance_frame();
  EXPECT_LT(simulation.stats().energy.growth, 0.01);
}

TEST(EnergyWatch, IsNotMeasuredWhereGravityPointsAlongAPeriodicAxis) {
  Scene scene = empty_scene(2, 0.04, Precision::kSingle);
  Domain domain = closed_box({0, 0, 0}, {0.64, 0.64, 0});
  domain.boundary.fill(BoundaryType::kPeriodic);
  scene.grid.domain = domain;
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("ball", 0, sphere({0.3, 0.3, 0}, 0.1))};
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 24; ++frame) simulation.advance_frame();
  EXPECT_EQ(simulation.stats().energy.growth, 0);
}

}  // namespace
}  // namespace firn::test
