// Domains whose faces are no walls: periodic axes, on which nothing may tell the seam from any
// other place, and open faces, through which material leaves.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

Domain ring_box(double side) {
  Domain domain = closed_box({0, 0, 0}, {side, side, side});
  domain.boundary.fill(BoundaryType::kPeriodic);
  return domain;
}

// Taylor-Green vortices that drift through the box, begun `shift` further along x.
Scene vortices(int dimension, double shift) {
  Scene s = liquid_scene(dimension, dimension == 2 ? 1.0 / 32 : 1.0 / 16);
  s.simulation.gravity = {};
  s.grid.domain = ring_box(1);
  s.bodies = {lattice("liquid", box({0, 0, 0}, {1, 1, 1}))};
  const std::string x = "(6.283185307179586*(x-" + std::to_string(shift) + "))",
                    y = "(6.283185307179586*y)";
  s.bodies[0].velocity.component[0].expression = "0.7+sin" + x + "*cos" + y;
  s.bodies[0].velocity.component[1].expression = "0.4-cos" + x + "*sin" + y;
  return s;
}

// Shifted by whole blocks the same numbers are worked out at other places: what differs is
// rounding, and where the solves end within their tolerance, for half a second of a flow with
// strain 2 pi / s.
TEST(PeriodicDomain, NothingTellsTheSeam) {
  for (int dimension = 2; dimension <= 3; ++dimension) {
    Scene scene = vortices(dimension, 0), shifted = vortices(dimension, 0.5);
    scene.fluid.tolerance = shifted.fluid.tolerance = 1e-11;
    // Its solves are loose whatever the tolerance.
    scene.fluid.density_correction = shifted.fluid.density_correction = false;
    Simulation here(scene, {}), there(shifted, {});
    const double start = here.totals().kinetic;
    for (int frame = 0; frame < (dimension == 2 ? 12 : 6); ++frame) {
      here.advance_frame(), there.advance_frame();
      if (frame == 0) {
        EXPECT_EQ(here.stats().pressure.sealed_regions, 1);
      }
    }
    const Totals a = here.totals(), b = there.totals();
    EXPECT_NEAR(a.kinetic, b.kinetic, 1e-8 * start);
    EXPECT_LT(a.kinetic, start);
    EXPECT_GT(a.kinetic, 0.9 * start);
    EXPECT_EQ(here.stats().particles, there.stats().particles);
  }
}

// No wall takes momentum. The projection keeps that of a field of even density; faces' masses are
// uneven by some tenths where particles are, so that a pressure of mean gradient 0 may leave a
// small share of its largest.
TEST(PeriodicDomain, KeepsTheMeanFlow) {
  Simulation simulation(vortices(2, 0), {});
  const Totals before = simulation.totals();
  for (int frame = 0; frame < 24; ++frame) simulation.advance_frame();
  const Totals after = simulation.totals();
  EXPECT_DOUBLE_EQ(after.mass, before.mass);
  for (std::size_t a = 0; a < 2; ++a)
    EXPECT_NEAR(after.momentum[a], before.momentum[a], 5e-3 * before.mass);
}

TEST(PeriodicDomain, SnapshotsLieInTheDomain) {
  Simulation simulation(vortices(2, 0), {});
  for (int frame = 0; frame < 6; ++frame) simulation.advance_frame();
  for (const float x : simulation.snapshot().position) {
    EXPECT_GE(x, 0);
    EXPECT_LE(x, 1);
  }
}

// An elastic ball that flies through the seam, against one in open space: the same but for where
// it is.
TEST(PeriodicDomain, ABallFliesThroughTheSeam) {
  for (int dimension = 2; dimension <= 3; ++dimension) {
    Scene s = empty_scene(dimension, 1.0 / 16, Precision::kDouble);
    s.simulation.gravity = {};
    s.materials = {elastic("rubber")};
    const double z = dimension == 3 ? 0.5 : 0;
    s.bodies = {lattice("ball", sphere({0.75, 0.5, z}, 0.2), {3, 1, 0})};
    s.bodies[0].stretch = 0.95;
    Scene ring = s;
    ring.grid.domain = ring_box(dimension == 2 ? 2 : 1);
    Simulation open(s, {}), around(ring, {});
    for (int frame = 0; frame < 12; ++frame) open.advance_frame(), around.advance_frame();
    const Totals a = open.totals(), b = around.totals();
    ASSERT_EQ(open.stats().total_steps, around.stats().total_steps);
    const double rounding = 1e-9;  // of positions around 2 against 0, over some hundred steps
    EXPECT_NEAR(a.kinetic, b.kinetic, rounding * a.kinetic);
    EXPECT_NEAR(a.elastic, b.elastic, rounding * a.kinetic);
    EXPECT_NEAR(a.momentum[0], b.momentum[0], rounding * a.momentum[0]);
    EXPECT_EQ(around.stats().removed, 0);
  }
}

// A pool in a channel that closes along x and has walls along y.
TEST(PeriodicDomain, AChannelOfStillWaterRests) {
  Scene s = liquid_scene(2, 1.0 / 32);
  s.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
  s.grid.domain->boundary[0] = s.grid.domain->boundary[1] = BoundaryType::kPeriodic;
  s.bodies = {lattice("pool", box({0, 0, 0}, {1, 0.5, 1}), {1, 0, 0})};
  Simulation simulation(s, {});
  for (int frame = 0; frame < 24; ++frame) simulation.advance_frame();
  const Snapshot end = simulation.snapshot();
  // The solve is relative to the divergence that gravity makes in a step.
  const double allowed = 1e-6 * std::sqrt(9.81 * 0.5);
  for (std::size_t i = 0; i < end.size(); ++i) {
    EXPECT_NEAR(end.velocity[2 * i], 1, allowed);
    EXPECT_NEAR(end.velocity[2 * i + 1], 0, allowed);
  }
}

TEST(OpenDomain, MaterialLeavesThroughOpenFacesOnly) {
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kIncompressible}) {
    Scene s = liquid_scene(2, 1.0 / 32);
    if (integrator == Integrator::kExplicit) {
      s = empty_scene(2, 1.0 / 32, Precision::kDouble);
      s.materials = {elastic("rubber")};
    }
    s.simulation.gravity = {};
    s.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
    s.grid.domain->boundary[1] = BoundaryType::kOpen;
    s.bodies = {lattice("leaves", sphere({0.8, 0.7, 0}, 0.1), {1, 0, 0}),
                lattice("stays", sphere({0.3, 0.2, 0}, 0.1), {-0.05, 0, 0})};
    Simulation simulation(s, {});
    const Totals before = simulation.totals();
    const std::int64_t particles = simulation.stats().particles;
    while (simulation.stats().time < 0.4) simulation.advance_frame();
    EXPECT_EQ(simulation.stats().removed, particles / 2);
    EXPECT_EQ(simulation.stats().particles, particles / 2);
    EXPECT_NEAR(simulation.totals().momentum[0], -0.05 * before.mass / 2, 1e-9 * before.mass);
  }
}

// A column of liquid beside an open face runs out of the domain; none of it comes back.
TEST(OpenDomain, AColumnRunsOut) {
  Scene s = liquid_scene(2, 1.0 / 32);
  s.fluid.free_surface = FreeSurface::kGhostFluid;
  s.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
  s.grid.domain->boundary[1] = BoundaryType::kOpen;
  s.bodies = {lattice("column", box({0, 0, 0}, {1, 0.4, 1}))};
  Simulation simulation(s, {});
  double mass = simulation.totals().mass;
  const double start = mass;
  while (simulation.stats().time < 2) {
    simulation.advance_frame();
    EXPECT_LE(simulation.totals().mass, mass);
    mass = simulation.totals().mass;
  }
  // A wave runs through the column in 1 / sqrt(g 0.4) = 0.5 s; after four of them little is left.
  EXPECT_LT(mass, 0.25 * start);
  EXPECT_GT(mass, 0);
}

}  // namespace
}  // namespace firn::test
