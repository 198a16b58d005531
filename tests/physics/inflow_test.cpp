// Sources within liquid: what they bring sets the liquid in motion and does work on it.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kSpeed = 0.4, kDx = 0.05;

Source flow(const Shape& shape, const Vec3& velocity) {
  Source source;
  source.name = "inlet";
  source.shape = shape;
  source.velocity = velocity;
  return source;
}

// Full of liquid, which flows out at its far end. Without gravity.
Scene pipe(int dimension, BoundaryType near_end) {
  Scene scene = liquid_scene(dimension, kDx);
  scene.simulation.gravity = {};
  const double height = 0.4, depth = dimension == 3 ? 0.2 : 0;
  scene.grid.domain = closed_box({0, 0, 0}, {2, height, depth});
  scene.grid.domain->boundary[0] = near_end;
  scene.grid.domain->boundary[1] = BoundaryType::kOpen;
  scene.bodies = {lattice("water", box({0, 0, 0}, {2, height, depth}))};
  scene.sources = {flow(box({0, 0, 0}, {0.15, height, depth}), {kSpeed, 0, 0})};
  return scene;
}

// Of velocities along x between two places.
double mean_velocity(const Snapshot& s, double low, double high) {
  const auto d = static_cast<std::size_t>(s.dimension);
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (s.position[d * i] > low && s.position[d * i] < high) {
      sum += s.velocity[d * i];
      ++count;
    }
  return sum / count;
}

// In the mean of a second: what comes in comes as particles, unevenly.
double mean_flow(const Scene& scene) {
  Simulation simulation = simulate(scene);
  double sum = 0;
  for (int frame = 1; frame <= 48; ++frame) {
    simulation.advance_frame();
    if (frame > 24) sum += mean_velocity(simulation.snapshot(), 0.8, 1.2) / 24;
  }
  EXPECT_LT(simulation.stats().energy.growth, 0.01);
  return sum;
}

TEST(Inflow, FlowsThroughAPipeWithAClosedEnd) {
  for (const int dimension : {2, 3})
    for (const FreeSurface surface : {FreeSurface::kFirstOrder, FreeSurface::kGhostFluid})
      for (const int kernel : {1, 2}) {
        Scene scene = pipe(dimension, BoundaryType::kSlip);
        scene.fluid.free_surface = surface;
        scene.transfer.kernel = kernel;
        EXPECT_NEAR(mean_flow(scene), kSpeed, 0.03 * kSpeed) << dimension << " " << kernel;
      }
}

// The closed end may be a body as well, and the nozzle may lie away from it.
TEST(Inflow, FlowsAwayFromABody) {
  Scene scene = pipe(2, BoundaryType::kOpen);
  scene.colliders = {collider("plug", box({-1, -1, 0}, {0.22, 1, 0}), BoundaryType::kSlip)};
  scene.bodies[0].shape.min[0] = 0.22;
  scene.sources[0].shape = box({0.3, 0, 0}, {0.45, 0.4, 0});
  EXPECT_NEAR(mean_flow(scene), kSpeed, 0.03 * kSpeed);
}

TEST(Inflow, FlowsUnderTheThermalIntegrator) {
  Scene scene = pipe(2, BoundaryType::kSlip);
  scene.simulation.integrator = Integrator::kThermal;
  scene.transfer.kernel = 2;
  scene.transfer.force = ForceForm::kGradient;
  scene.thermal.heat = false;
  EXPECT_NEAR(mean_flow(scene), kSpeed, 0.03 * kSpeed);
}

// What is lifted has been fed: the ledger is closed to what the flow loses within.
TEST(Inflow, DoesTheWorkThatLiftsABasin) {
  Scene scene = liquid_scene(2, kDx);
  scene.grid.domain = closed_box({0, 0, 0}, {2, 2, 0});
  const Shape nozzle = box({0.8, 0, 0}, {1.2, 0.15, 0});
  Shape rest;  // of the basin, which the source fills at once
  rest.type = ShapeType::kDifference;
  rest.children = {box({0, 0, 0}, {2, 0.5, 0}), nozzle};
  scene.bodies = {lattice("water", rest)};
  scene.sources = {flow(nozzle, {0, kSpeed, 0})};
  Simulation simulation = simulate(scene);
  const double before = simulation.totals().potential;
  double work = 0;
  for (int frame = 0; frame < 72; ++frame) {
    simulation.advance_frame();
    work += simulation.stats().source_work;
    ASSERT_LT(simulation.stats().energy.growth, 0.02) << frame;  // 70 times as much without work
  }
  const Totals after = simulation.totals();
  const double head = 1000 * 9.81 * 0.5;  // Pa, at first
  EXPECT_GT(work, head * 0.4 * kSpeed * 3);
  EXPECT_GT(simulation.stats().energy.fed, after.potential + after.kinetic - before);
  EXPECT_LT(simulation.stats().energy.fed, 1.5 * (after.potential + after.kinetic - before));
  EXPECT_LT(simulation.stats().lost_volume, 0.01);
}

// Liquid in front of the nozzle alone holds nothing back.
TEST(Inflow, LeavesJetsInAirAlone) {
  Scene scene = liquid_scene(3, kDx);
  scene.simulation.gravity = {};
  scene.bodies = {};
  scene.sources = {flow(box({0, 0, 0}, {0.2, 0.2, 0.2}), {kSpeed, 0, 0})};
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 24; ++frame) {
    simulation.advance_frame();
    EXPECT_EQ(simulation.stats().source_work, 0);
  }
  const Snapshot s = simulation.snapshot();
  for (std::size_t i = 0; i < s.size(); ++i) EXPECT_NEAR(s.velocity[3 * i], kSpeed, 1e-6);
}

// Without a velocity a source fills its shape once, where that is not full.
TEST(Inflow, FillsNothingThatIsFull) {
  for (const bool full : {true, false}) {
    Scene scene = liquid_scene(2, kDx);
    scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
    scene.bodies = {body("pool", 0, box({0, 0, 0}, {1, 0.5, 0}))};
    scene.sources = {flow(box({0.4, full ? 0.1 : 0.7, 0}, {0.6, full ? 0.3 : 0.9, 0}), {})};
    scene.sources[0].start = 0.1;
    Simulation simulation = simulate(scene);
    simulation.advance_until(0.2);
    const auto brought = static_cast<double>(simulation.stats().emitted),
               whole = 4 * 0.04 / (kDx * kDx);
    if (full)
      EXPECT_LT(brought, 0.05 * whole);
    else
      EXPECT_NEAR(brought, whole, 0.05 * whole);
  }
}

TEST(Inflow, GoesOnAfterARestart) {
  const Scene scene = pipe(2, BoundaryType::kSlip);
  Simulation whole = simulate(scene), first = simulate(scene), second = simulate(scene);
  whole.advance_until(0.21);
  whole.advance_until(0.4);
  first.advance_until(0.21);  // within a frame
  second.load_state(first.save_state());
  second.advance_until(0.4);
  EXPECT_EQ(whole.save_state(), second.save_state());
}

}  // namespace
}  // namespace firn::test
