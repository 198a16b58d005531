// Memory follows the material; growing loses nothing; particles may go anywhere and come from and
// leave through sources, sinks and walls with every kilogram accounted for. Estimates say what a
// run then takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "tests/support/fluid_scenes.h"
#include "tests/support/forces.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

// In double, over the particles one by one; sums of n equal masses round by at most n eps.
double mass_tolerance(std::int64_t particles, double mass,
                      Precision precision = Precision::kDouble) {
  const double eps = precision == Precision::kDouble ? 2.3e-16 : 6e-8;
  return (static_cast<double>(particles) * 2.3e-16 + eps) * mass;
}

// --- an unbounded scene ---

Scene distant_bodies(double dx) {
  Scene scene = empty_scene(3, dx, Precision::kSingle);
  scene.materials = {elastic("jelly")};
  const double far = 1e4 * dx;
  scene.bodies = {body("near", 0, box({0, 0, 0}, {1, 1, 1})),
                  body("far", 0, box({far, -far, far}, {far + 1, 1 - far, far + 1}))};
  for (Body& b : scene.bodies) b.sampling = Sampling::kUniform;
  return scene;
}

void expect_memory_follows_material(const Scene& scene) {
  Simulation simulation = simulate(scene);
  make_steps(simulation, 1);
  const SceneEstimate e = estimate(scene);
  simulation.advance_steps(1);
  const FrameStats s = simulation.stats();
  const double per_particle =
      static_cast<double>(e.particle_bytes + e.scratch_bytes) / static_cast<double>(s.particles);
  const double per_block = static_cast<double>(e.grid_bytes) / static_cast<double>(s.blocks);
  std::printf(
      "%lld particles: %.1f bytes per particle, %lld blocks: %.0f bytes per block, %zu in all\n",
      static_cast<long long>(s.particles), per_particle, static_cast<long long>(s.blocks),
      per_block, s.memory_bytes);
  EXPECT_LE(per_particle, 220);
  EXPECT_LE(per_block, 10e3);
  EXPECT_LE(static_cast<double>(s.memory_bytes),
            220.0 * static_cast<double>(s.particles) + 10e3 * static_cast<double>(s.blocks));
}

TEST(SparseMemory, FollowsTheMaterialNotTheBox) {
  expect_memory_follows_material(distant_bodies(1.0 / 24));
}

TEST(SparseMemory, TwoMillionParticles) {
  expect_memory_follows_material(distant_bodies(1.0 / 50));
}

// --- growth ---

TEST(Growth, AnExplosionLosesNothing) {
  for (Precision precision : {Precision::kSingle, Precision::kDouble}) {
    Scene scene = empty_scene(3, 0.1, precision);
    scene.simulation.gravity = {0, 0, 0};
    scene.materials = {elastic("gas", MaterialModel::kFixedCorotated, 1)};
    scene.bodies = {body("bomb", 0, sphere({0, 0, 0}, 0.25))};
    for (int a = 0; a < 3; ++a)
      scene.bodies[0].velocity.component[a] = {0, a == 0 ? "100*x" : a == 1 ? "100*y" : "100*z"};
    Simulation simulation = simulate(scene);
    const FrameStats start = simulation.stats();
    for (int i = 0; i < 2; ++i) simulation.advance_frame();
    const FrameStats end = simulation.stats();
    EXPECT_GT(end.grown, 0);
    EXPECT_GT(end.blocks, 10 * start.blocks);
    EXPECT_EQ(end.particles, start.particles);
    EXPECT_EQ(end.removed, 0);
    EXPECT_NEAR(end.totals.mass, start.totals.mass,
                mass_tolerance(start.particles, start.totals.mass));
    const Snapshot s = simulation.snapshot();
    for (std::size_t i = 0; i < s.size(); ++i) ASSERT_EQ(s.id[i], i);
  }
}

// --- fast particles ---

TEST(NoParticleLost, HoweverFastTheyCross) {
  for (int dimension : {2, 3})
    for (double cfl : {0.5, 1.0}) {
      SCOPED_TRACE(cfl);
      Scene scene = empty_scene(dimension, 0.05, Precision::kSingle);
      scene.simulation.gravity = {0, 0, 0};
      scene.time.cfl = cfl;
      scene.time.dt_max = 1;
      scene.materials = {elastic("soft", MaterialModel::kFixedCorotated, 1e-3)};
      const double z = dimension == 3 ? -1 : 0;
      scene.bodies = {body("right", 0, sphere({-3, -2, z}, 0.2), {40, 25, 10}),
                      body("left", 0, sphere({-4, -3, z}, 0.2), {-30, -45, 5})};
      Simulation simulation = simulate(scene);
      const FrameStats start = simulation.stats();
      for (int i = 0; i < 4; ++i) simulation.advance_frame();
      const FrameStats end = simulation.stats();
      EXPECT_EQ(end.particles, start.particles);
      EXPECT_NEAR(end.totals.mass, start.totals.mass,
                  mass_tolerance(start.particles, start.totals.mass));
      for (int a = 0; a < dimension; ++a)  // single precision: 4 sqrt(n) eps of the sum of |m v|
        EXPECT_NEAR(end.totals.momentum[a], start.totals.momentum[a],
                    static_cast<double>(end.total_steps) * 6e-8 * start.totals.mass * 60);
      const Snapshot s = simulation.snapshot();
      EXPECT_EQ(std::set<std::uint32_t>(s.id.begin(), s.id.end()).size(),
                static_cast<std::size_t>(start.particles));
    }
}

// A blow that no step has seen coming: 28 cells, which are several blocks, in one step.
TEST(NoParticleLost, HoweverSuddenlyTheyAreThrown) {
  for (int dimension : {2, 3})
    for (const bool fused : {true, false}) {
      Scene scene = empty_scene(dimension, 0.05, Precision::kSingle);
      scene.simulation.gravity = {0, 0, 0};
      scene.simulation.fused = fused;
      scene.time.cfl = 1;
      scene.time.dt_max = 1;
      scene.materials = {elastic("soft", MaterialModel::kFixedCorotated, 1e-3)};
      scene.bodies = {
          body("ball", 0, sphere({-3, -2, dimension == 3 ? -1.0 : 0.0}, 0.2), {1, 0, 0})};
      Simulation simulation = simulate(scene);
      const FrameStats start = simulation.stats();
      simulation.set_force(force_of([](std::uint32_t, double t) {
        return t == 0 ? Vec3{700, 0, 0} : Vec3{};
      }));
      const double before = simulation.totals().center_of_mass[0];
      simulation.advance_steps(1);
      EXPECT_GT(simulation.totals().center_of_mass[0] - before, 28 * scene.grid.dx);
      simulation.advance_steps(20);
      const Snapshot s = simulation.snapshot();
      EXPECT_EQ(std::set<std::uint32_t>(s.id.begin(), s.id.end()).size(),
                static_cast<std::size_t>(start.particles));
      EXPECT_NEAR(simulation.totals().mass, start.totals.mass,
                  mass_tolerance(start.particles, start.totals.mass));
    }
}

TEST(NoParticleLost, AtWalls) {
  for (BoundaryType type : {BoundaryType::kSticky, BoundaryType::kSlip, BoundaryType::kSeparate}) {
    Scene scene = empty_scene(2, 0.05, Precision::kSingle);
    scene.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 1e6), water("water")};
    scene.materials[1].bulk_modulus = 5e6;  // the sound stays faster than the impact
    scene.bodies = {body("ball", 0, sphere({-0.5, -0.5, 0}, 0.2), {20, 30, 0}),
                    body("drop", 1, sphere({-0.5, -1.2, 0}, 0.2), {-20, 10, 0})};
    Domain walls;
    walls.min = {-1, -1.5, 0};
    walls.max = {0, 0, 0};
    walls.boundary.fill(type);
    scene.grid.domain = walls;
    Simulation simulation = simulate(scene);
    const FrameStats start = simulation.stats();
    for (int i = 0; i < 8; ++i) simulation.advance_frame();
    EXPECT_EQ(simulation.stats().particles, start.particles);
    EXPECT_EQ(simulation.stats().totals.mass, start.totals.mass);
    const Snapshot s = simulation.snapshot();
    for (std::size_t i = 0; i < s.size(); ++i) {
      ASSERT_GE(s.position[2 * i], -1);
      ASSERT_LE(s.position[2 * i], 0);
      ASSERT_GE(s.position[2 * i + 1], -1.5);
      ASSERT_LE(s.position[2 * i + 1], 0);
    }
  }
}

// --- sinks and sources ---

TEST(Sinks, RemoveAndCount) {
  Scene scene = empty_scene(2, 0.05);
  scene.materials = {elastic("jelly")};
  scene.bodies = {body("ball", 0, sphere({0, 0, 0}, 0.3)), body("kept", 0, sphere({5, 5, 0}, 0.3))};
  scene.sinks = {{"drain", box({-2, -3, 0}, {2, -1, 0})}};
  Simulation simulation = simulate(scene);
  const FrameStats start = simulation.stats();
  const double particle_mass = start.totals.mass / static_cast<double>(start.particles);
  for (int i = 0; i < 14; ++i) {
    simulation.advance_frame();
    const FrameStats s = simulation.stats();
    EXPECT_EQ(s.particles + s.removed, start.particles);
    EXPECT_NEAR(s.totals.mass + particle_mass * static_cast<double>(s.removed), start.totals.mass,
                1e-3 * start.totals.mass);  // the two bodies' particles differ a little in mass
  }
  const Snapshot s = simulation.snapshot();
  EXPECT_EQ(s.size(), std::count(s.body.begin(), s.body.end(), 1));
  EXPECT_GT(simulation.stats().removed, 0);
}

Scene stream(int dimension, double speed, double depth) {
  Scene scene = empty_scene(dimension, 0.05, Precision::kSingle);
  scene.simulation.gravity = {0, 0, 0};
  scene.simulation.fps = 20;
  scene.materials = {water("water")};
  scene.materials[0].bulk_modulus = 500;  // nothing presses here; soft water allows longer steps
  Source tap;
  tap.name = "tap";
  tap.shape = box({0, 0, 0}, {0.4, depth, 0.4});
  tap.velocity = {0, speed, 0};
  scene.sources = {tap};
  return scene;
}

// What has come is what the shape holds and, from then on, the density times the cross-section
// times the speed times the time, however thin the source.
TEST(Sources, EmitTheirDensity) {
  for (int dimension : {2, 3})
    for (double depth : {0.05, 0.1, 0.2}) {
      SCOPED_TRACE(depth);
      const Scene scene = stream(dimension, 1, depth);
      Simulation simulation = simulate(scene);
      for (int i = 0; i < 20; ++i) simulation.advance_frame();  // 1 s
      // The next half cell is due at the end of that second.
      const double expected = 1000 * (dimension == 2 ? 0.4 : 0.16) * (depth + 1.0 - 0.5 * 0.05);
      const FrameStats s = simulation.stats();
      EXPECT_NEAR(s.totals.mass, expected, 0.02 * expected);
      EXPECT_EQ(s.emitted, s.particles);
    }
}

// Emissions come at start + k period exactly, where the pattern moves half a cell in a period, and
// none at or after the end.
TEST(Sources, KeepTheirTimes) {
  Scene scene = stream(2, 0.4, 0.2);
  scene.sources[0].start = 0.23;
  scene.sources[0].end = 0.61;
  scene.sources[0].sampling = Sampling::kUniform;
  Simulation simulation = simulate(scene);
  const double period = 0.5 * 0.05 / 0.4;
  const auto at_the_start = simulate([&] {
                              Scene at_once = scene;
                              at_once.sources[0].start = 0;
                              at_once.sources[0].end = 1e-9;
                              return at_once;
                            }())
                                .stats()
                                .particles;
  EXPECT_EQ(at_the_start, 0);  // nothing before the first step
  std::set<std::int64_t> counts;
  for (int frame = 1; frame <= 16; ++frame) {
    simulation.advance_frame();
    const FrameStats s = simulation.stats();
    const double pulses =
        s.time <= 0.23 ? 0 : std::floor((std::min(s.time, 0.61) - 0.23) / period - 1e-9) + 1;
    counts.insert(s.emitted);
    EXPECT_EQ(s.emitted > 0, pulses > 0) << s.time;
    EXPECT_EQ(static_cast<double>(counts.size()) - 1, pulses) << s.time;
  }
  // A filling of 16 x 8 particles, then layers of 16.
  const auto emissions = static_cast<std::int64_t>(counts.size() - 1);
  EXPECT_EQ(simulation.stats().emitted, 16 * 8 + 16 * (emissions - 1));
  // Free flight: each particle has moved by its velocity times the time since it came; the fronts
  // are exact.
  const Snapshot s = simulation.snapshot();
  float highest = 0;
  for (std::size_t i = 0; i < s.size(); ++i) highest = std::max(highest, s.position[2 * i + 1]);
  const double front = 0.4 * (simulation.stats().time - 0.23) + 0.2;
  EXPECT_NEAR(highest, front, 0.05);
}

// --- estimates ---

TEST(Estimate, SaysWhatARunTakes) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::kSingle, Precision::kDouble})
      for (DiagnosticsLevel level :
           {DiagnosticsLevel::kOff, DiagnosticsLevel::kTotals, DiagnosticsLevel::kStages}) {
        Scene scene = busy_scene(dimension, precision);
        scene.sinks.clear();
        scene.bodies.push_back(body("large", 0, box({-1, 1, -0.5}, {0, 2, 0.5})));
        scene.output.diagnostics = level;
        const SceneEstimate e = estimate(scene);
        Simulation simulation = simulate(scene);
        const FrameStats start = simulation.stats();
        EXPECT_EQ(start.particles, e.particles);
        EXPECT_EQ(start.blocks, e.blocks);
        simulation.advance_steps(1);
        const double estimated =
            static_cast<double>(e.particle_bytes + e.grid_bytes + e.scratch_bytes);
        const double taken = static_cast<double>(simulation.stats().memory_bytes);
        EXPECT_NEAR(estimated, taken, 0.1 * taken);
        // The stretch and velocity of the start say what limits the first step.
        EXPECT_NEAR(e.dt_limit, simulation.stats().dt_last, 1e-5 * e.dt_limit);
      }
}

// Without waves the fastest particle alone limits the step.
TEST(Estimate, SaysWhatAnIncompressibleRunTakes) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::kSingle, Precision::kDouble})
      for (DiagnosticsLevel level : {DiagnosticsLevel::kOff, DiagnosticsLevel::kTotals})
        for (double dx : {0.05, dimension == 2 ? 0.003 : 0.02}) {
          SCOPED_TRACE(testing::Message() << dimension << "D, dx " << dx);
          Scene scene = liquid_scene(dimension, dx, precision);
          scene.bodies = {body("pool", 0, box({0, 0, 0}, {0.5, 0.5, 0.5}), {0, -2, 0})};
          scene.colliders = {collider("ball", sphere({0.3, 0.1, dimension == 3 ? 0.2 : 0.0}, 0.1),
                                      BoundaryType::kSlip)};
          scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
          scene.output.diagnostics = level;
          const SceneEstimate e = estimate(scene);
          EXPECT_EQ(e.limited_by, DtLimit::kVelocity);
          Simulation simulation = simulate(scene);
          simulation.advance_steps(1);
          const double estimated =
              static_cast<double>(e.particle_bytes + e.grid_bytes + e.scratch_bytes);
          const double taken = static_cast<double>(simulation.stats().memory_bytes);
          EXPECT_NEAR(estimated, taken, 0.1 * taken);
          EXPECT_NEAR(e.dt_limit, simulation.stats().dt_last, 1e-5 * e.dt_limit);
        }
}

}  // namespace
}  // namespace firn::test
