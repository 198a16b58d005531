// The incompressible integrator as a whole on states whose continuation is known: rest, free fall,
// sealed liquid; and what its steps conserve.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kGravity = 9.81;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr TransferType kTransfers[] = {TransferType::kPic,   TransferType::kFlip,
                                       TransferType::kRpic,  TransferType::kApic,
                                       TransferType::kAflip, TransferType::kPolypic};

// --- rest ---

Scene tank(Sampling sampling) {
  Scene scene = liquid_scene(2, 1.0 / 16);
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
  scene.bodies = {body("pool", 0, box({0, 0, 0}, {1, 0.5, 0}))};
  scene.bodies[0].sampling = sampling;
  return scene;
}

void expect_rest(const Scene& scene) {
  Simulation simulation = simulate(scene);
  run_to(simulation, 10);
  const double wave = std::sqrt(kGravity * 0.5);
  EXPECT_LE(simulation.stats().max_speed, 1e-6 * wave);
  std::printf("fastest %.3g sqrt(g h)\n", simulation.stats().max_speed / wave);
}

// The surface lies on a face of cells, so p = 0 in the cells above is the hydrostatic pressure's
// own continuation, and face densities do not follow the noise of the sampling.
TEST(StillWater, RestsForEveryTransfer) {
  for (const TransferType transfer : kTransfers) {
    Scene scene = tank(Sampling::kUniform);
    scene.transfer.type = transfer;
    expect_rest(scene);
  }
}

TEST(StillWater, RestsForEveryKernelAndBlueNoise) {
  for (const int kernel : {1, 2, 3})
    for (const bool correction : {false, true}) {
      Scene scene = tank(Sampling::kPoisson);
      scene.transfer.kernel = kernel;
      scene.fluid.density_correction = correction;
      expect_rest(scene);
    }
}

TEST(StillWater, RestsWithAGhostFluidOnALattice) {
  Scene scene = tank(Sampling::kUniform);
  scene.fluid.free_surface = FreeSurface::kGhostFluid;
  expect_rest(scene);
}

// A drop whose liquid runs together, one cell further on the grid from run to run: which block a
// cell lies in may not show, nor whether the air beside it has a block. What the projection leaves
// depends on the heights of the surface on all sides.
TEST(FreeSurface, BlocksDoNotShow) {
  constexpr double kDx = 1.0 / 16;
  double first = 0;
  for (int shift = 0; shift < 8; ++shift) {
    const double c = 2 + shift * kDx;
    Scene scene = liquid_scene(2, kDx);
    scene.simulation.gravity = {};
    scene.simulation.fps = 1000;
    scene.fluid.free_surface = FreeSurface::kGhostFluid;
    scene.fluid.tolerance = 1e-11;
    scene.fluid.density_correction = false;  // its solves are loose whatever the tolerance
    scene.bodies = {lattice("drop", sphere({c + 0.3 * kDx, c - 0.2 * kDx, 0}, 0.2))};
    auto& velocity = scene.bodies[0].velocity.component;
    velocity[0].expression = std::to_string(c) + "-x";
    velocity[1].expression = std::to_string(c) + "-y";
    Simulation simulation = simulate(scene);
    simulation.advance_frame();
    const double kinetic = simulation.totals().kinetic;
    if (shift == 0) first = kinetic;
    EXPECT_NEAR(kinetic, first, 1e-6 * first) << shift << " cells";
  }
}

// --- free fall ---

// A step rounds the velocity of a particle a few times on its way to the faces and back.
double rounding_of(const Simulation& simulation, double speed) {
  return 16 * static_cast<double>(simulation.stats().total_steps) * kEpsilon * speed;
}

TEST(FreeFall, OneParticleFallsWithGravityAlone) {
  for (const int dimension : {2, 3})
    for (const TransferType transfer : kTransfers) {
      Scene scene = liquid_scene(dimension, 0.1);
      scene.transfer.type = transfer;
      scene.bodies = {lattice("drop", box({0.2, 0.2, 0.2}, {0.3, 0.3, 0.3}), {0.31, 1, 0})};
      scene.bodies[0].particles_per_cell = 1;
      Simulation simulation = simulate(scene);
      ASSERT_EQ(simulation.stats().particles, 1);
      run_to(simulation, 1);
      const Totals t = simulation.totals();
      const double bound = rounding_of(simulation, kGravity);
      EXPECT_NEAR(t.momentum[0] / t.mass, 0.31, bound);
      EXPECT_NEAR(t.momentum[1] / t.mass, 1 - kGravity, bound);
      EXPECT_LE(simulation.stats().pressure.max_divergence, bound / scene.grid.dx);
    }
}

// Drops further from each other than stencils reach: what each of them does is exact, so their sum
// is. Rows differ in speed, so that no drop meets another.
TEST(FreeFall, HundredDropsFallAsOne) {
  Scene scene = liquid_scene(2, 0.02);
  double momentum = 0, mass = 0;
  for (int i = 0; i < 100; ++i) {
    const double radius = 0.02 + 0.003 * (i % 9), drift = 0.1 * (i / 10 % 3);
    const Vec3 centre{0.21 * (i % 10), 0.21 * (i / 10) + 0.003 * (i % 7), 0};
    scene.bodies.push_back(
        body("drop" + std::to_string(i), 0, sphere(centre, radius), {drift, 0, 0}));
  }
  Simulation simulation = simulate(scene);
  momentum = simulation.totals().momentum[0];
  mass = simulation.totals().mass;
  run_to(simulation, 0.5);
  const Totals t = simulation.totals();
  const double bound = rounding_of(simulation, kGravity);
  EXPECT_NEAR(t.mass, mass, 1000 * kEpsilon * mass);
  EXPECT_NEAR(t.momentum[0] / mass, momentum / mass, bound);
  EXPECT_NEAR(t.momentum[1] / mass, -0.5 * kGravity, bound);
  std::printf("momentum off by %.3g and %.3g of %.3g m/s\n", t.momentum[0] / mass - momentum / mass,
              t.momentum[1] / mass + 0.5 * kGravity, bound);
}

// --- sealed liquid ---

// What the tolerance of the solve leaves of gravity's divergence in a step, g dt / dx, adds up over
// the cells along the box; steps do not add up, as the next one projects it again.
double residual_speed(const Scene& scene) {
  const double cells = 1 / scene.grid.dx;
  return cells * scene.fluid.tolerance * kGravity * scene.time.dt_max;
}

TEST(SealedLiquid, AFullBoxRests) {
  for (const int dimension : {2, 3})
    for (const bool correction : {false, true})
      for (const Sampling sampling : {Sampling::kUniform, Sampling::kPoisson}) {
        Scene scene = liquid_scene(dimension, 0.1);
        scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
        scene.bodies = {body("liquid", 0, box({0, 0, 0}, {1, 1, 1}))};
        scene.bodies[0].sampling = sampling;
        scene.fluid.density_correction = correction;
        Simulation simulation = simulate(scene);
        run_to(simulation, dimension == 2 ? 5 : 1);
        EXPECT_LE(simulation.stats().max_speed, residual_speed(scene));
        EXPECT_EQ(simulation.stats().pressure.sealed_regions, 1);
      }
}

// A singular and a regular region in one system.
TEST(SealedLiquid, APocketBesideOpenWaterRests) {
  Scene scene = liquid_scene(2, 1.0 / 16);
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0});
  scene.bodies = {lattice("pocket", box({0, 0, 0}, {0.375, 0.5, 0})),
                  lattice("pool", box({0.5, 0, 0}, {1, 0.5, 0}))};
  scene.colliders = {collider("wall", box({0.375, -1, -1}, {0.5, 2, 1}), BoundaryType::kSlip),
                     collider("lid", box({-1, 0.5, -1}, {0.5, 2, 1}), BoundaryType::kSlip)};
  Simulation simulation = simulate(scene);
  run_to(simulation, 5);
  EXPECT_LE(simulation.stats().max_speed, residual_speed(scene));
  EXPECT_EQ(simulation.stats().pressure.sealed_regions, 1);
}

// --- conservation ---

// Without divergence there is no pressure, and all transfers conserve momentum. Where there is
// pressure below a free surface momentum is only conserved to the order of the scheme: the faces of
// the surface carry the mass that particles gave them and not that of the volume which the pressure
// accelerates, and faces of air get the velocity of their neighbours.
TEST(FluidConservation, ADriftingBlobKeepsMassAndMomentum) {
  for (const int dimension : {2, 3})
    for (const TransferType transfer : kTransfers) {
      Scene scene = liquid_scene(dimension, 0.05);
      scene.simulation.gravity = {};
      scene.transfer.type = transfer;
      scene.bodies = {body("blob", 0, sphere({0.5, 0.5, 0}, 0.2), {1, -0.5, 0.25})};
      Simulation simulation = simulate(scene);
      const Totals start = simulation.totals();
      run_to(simulation, 0.25);
      const Totals end = simulation.totals();
      EXPECT_NEAR(end.mass, start.mass, 1000 * kEpsilon * start.mass);
      for (std::size_t a = 0; a < 3; ++a)
        EXPECT_NEAR(end.momentum[a], start.momentum[a], start.mass * rounding_of(simulation, 1.2));
    }
}

// Mass belongs to particles: whatever they go through.
TEST(FluidConservation, ASplashKeepsItsMass) {
  for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
    Scene scene = busy_liquid_scene(2, precision);
    scene.sources.clear();
    scene.sinks.clear();
    Simulation simulation = simulate(scene);
    const Totals start = simulation.totals();
    run_to(simulation, 0.5);
    EXPECT_EQ(simulation.stats().removed, 0);
    // The same addends in another order.
    const double n = static_cast<double>(simulation.stats().particles);
    EXPECT_NEAR(simulation.totals().mass, start.mass, n * kEpsilon * start.mass);
  }
}

}  // namespace
}  // namespace firn::test
