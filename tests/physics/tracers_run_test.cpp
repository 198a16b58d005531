// What a run promises of the massless points that a liquid carries: they go with its particles,
// change nothing else, and do not depend on threads or on a stop between.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

#include "src/run/state_seal.h"
#include "tests/support/expect_error.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/harness_particle.h"

namespace firn::test {
namespace {

Scene with_tracers(Scene scene, double per_cell, std::vector<int> bodies = {}) {
  scene.tracers.per_cell = per_cell;
  scene.tracers.bodies = std::move(bodies);
  return scene;
}

// A column that falls to one side, 8 cells deep.
Scene collapse(int dimension) {
  Scene scene = liquid_scene(dimension, 0.05, Precision::kSingle);
  scene.grid.domain = closed_box({0, 0, 0}, {1.6, 1, 0.4});
  scene.bodies = {body("column", 0, box({0, 0, 0}, {0.4, 0.8, 0.4}))};
  return scene;
}
// A disc that turns in liquid at rest.
Scene turning_disc(int dimension) {
  Scene scene = liquid_scene(dimension, 1.0 / 32, Precision::kSingle);
  scene.simulation.gravity = {};
  scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 0.25});
  Shape disc;
  disc.type = ShapeType::kCylinder;
  disc.from = {0.5, 0.5, 0};
  disc.to = {0.5, 0.5, 0.25};
  disc.radius = 0.25;
  if (dimension == 2) disc = sphere({0.5, 0.5, 0}, 0.25);
  Shape rest;
  rest.type = ShapeType::kDifference;
  rest.children = {box({0, 0, 0}, {1, 1, 0.25}), disc};
  scene.bodies = {body("rest", 0, rest), body("disc", 0, disc)};
  scene.bodies[1].angular_velocity = {0, 0, 2};
  return scene;
}

Vec3 position_in(const Snapshot& s, std::size_t i) {
  Vec3 x{};
  const auto d = static_cast<std::size_t>(s.dimension);
  for (std::size_t a = 0; a < d; ++a) x[a] = s.position[i * d + a];
  return x;
}
std::vector<std::size_t> nearest_particles(const Snapshot& tracers, const Snapshot& particles) {
  std::vector<std::size_t> nearest(tracers.size());
  for (std::size_t t = 0; t < tracers.size(); ++t) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < particles.size(); ++p)
      if (const double d = distance(position_in(tracers, t), position_in(particles, p)); d < best)
        best = d, nearest[t] = p;
  }
  return nearest;
}

// Tracers and particles go with the same velocities by different methods.
TEST(TracersOfARun, StayWithTheParticlesTheyStartOn) {
  const Scene scenes[] = {collapse(2), collapse(3), turning_disc(2)};
  for (const Scene& scene : scenes) {
    Simulation simulation = simulate(with_tracers(scene, 1));
    const Snapshot start = simulation.tracers(), particles = simulation.snapshot();
    const std::vector<std::size_t> nearest = nearest_particles(start, particles);
    make_steps(simulation, 50);
    const Snapshot end = simulation.tracers(), carried = simulation.snapshot();
    ASSERT_EQ(end.size(), start.size());
    ASSERT_EQ(carried.id, particles.id);
    double apart = 0, moved = 0;
    for (std::size_t t = 0; t < end.size(); ++t) {
      apart += distance(position_in(end, t), position_in(carried, nearest[t]));
      moved += distance(position_in(end, t), position_in(start, t));
    }
    const double cells = 1 / (scene.grid.dx * static_cast<double>(end.size()));
    std::printf("%zu tracers moved %.2f cells, mean distance %.3f cells\n", end.size(),
                cells * moved, cells * apart);
    EXPECT_LT(cells * apart, 1);
    EXPECT_GT(moved, 3 * apart);  // there was a flow to follow
  }
}

// Once around and on, through the seam, at the velocity that the liquid has everywhere.
TEST(TracersOfARun, ComeBackAtTheOtherEndOfAPeriodicAxis) {
  for (int dimension : {2, 3}) {
    Scene scene = liquid_scene(dimension, 1.0 / 16);
    scene.simulation.gravity = {};
    scene.grid.domain = closed_box({0, 0, 0}, {1, 1, 1});
    scene.grid.domain->boundary.fill(BoundaryType::kPeriodic);
    scene.bodies = {lattice("liquid", box({0, 0, 0}, {1, 1, 1}), {2.25, -1.5, 0})};
    Simulation simulation = simulate(with_tracers(scene, 4));
    const Snapshot start = simulation.tracers();
    run_to(simulation, 0.5);
    const Snapshot end = simulation.tracers();
    const Vec3 path{1.125, -0.75, 0};
    // Snapshots are single; the solves leave 1e-6 of the divergence, and that is rounding.
    const double tolerance = 4 * std::numeric_limits<float>::epsilon();
    for (std::size_t i = 0; i < end.size(); ++i)
      for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a) {
        const double from = position_in(start, i)[a], to = position_in(end, i)[a];
        EXPECT_GE(to, 0);
        EXPECT_LE(to, 1);
        EXPECT_NEAR(std::remainder(to - from - path[a], 1), 0, tolerance);
      }
  }
}

TEST(TracersOfARun, ChangeNothingElse) {
  const Scene scene = collapse(2);
  Simulation without = simulate(scene), with = simulate(with_tracers(scene, 8));
  make_steps(without, 30);
  make_steps(with, 30);
  EXPECT_EQ(without.snapshot().position, with.snapshot().position);
  EXPECT_EQ(without.snapshot().velocity, with.snapshot().velocity);
  EXPECT_EQ(without.stats().particles, with.stats().particles);
  EXPECT_EQ(without.tracers().size(), 0U);
}

TEST(TracersOfARun, FillTheBodiesThatAreNamed) {
  const Scene scene = turning_disc(2);
  Simulation all = simulate(with_tracers(scene, 27)), one = simulate(with_tracers(scene, 27, {1}));
  const Snapshot a = all.tracers(), b = one.tracers();
  // 32 x 32 cells, 16 pi of them in the disc's quarter radius squared: pi 0.25^2 / dx^2. The
  // border adds or takes some of the points that lie within their spacing from it.
  const double disc = 27 * std::numbers::pi * 64, border = std::sqrt(27.0) * std::numbers::pi * 16;
  EXPECT_NEAR(static_cast<double>(a.size()), 27 * 1024, std::sqrt(27.0) * 4 * 32);
  EXPECT_NEAR(static_cast<double>(b.size()), disc, border);
  for (std::size_t i = 0; i < b.size(); ++i) {
    ASSERT_EQ(b.body[i], 1);
    ASSERT_EQ(b.id[i], i);
    ASSERT_LE(distance(position_in(b, i), {0.5, 0.5, 0}), 0.25 + 1e-6);
  }
  EXPECT_EQ(a.body.front(), 0);
  EXPECT_EQ(a.body.back(), 1);
  EXPECT_EQ(a.material.size(), a.size());
}

class TracersRestart : public testing::TestWithParam<std::tuple<int, Precision>> {};

TEST_P(TracersRestart, GoesOnBitForBit) {
  const auto [dimension, precision] = GetParam();
  const Scene scene = with_tracers(busy_liquid_scene(dimension, precision), 9, {0, 2});
  Simulation whole = simulate(scene);
  const Snapshot start = whole.tracers();
  ASSERT_GT(start.size(), 100U);
  make_steps(whole, 40);
  EXPECT_NE(whole.tracers().position, start.position);
  Simulation before = simulate(scene);
  make_steps(before, 23);
  const auto saved = before.save_state();
  Simulation after = simulate(scene, 2);
  after.load_state(saved);
  EXPECT_EQ(after.save_state(), saved);
  make_steps(after, 17);
  EXPECT_EQ(after.tracers().position, whole.tracers().position);
  EXPECT_TRUE(after.save_state() == whole.save_state());
}
INSTANTIATE_TEST_SUITE_P(Scenes, TracersRestart,
                         testing::Values(std::tuple(2, Precision::kSingle),
                                         std::tuple(2, Precision::kDouble),
                                         std::tuple(3, Precision::kSingle)));

TEST(TracersOfARun, DoNotDependOnTheNumberOfThreads) {
  const Scene scene = with_tracers(collapse(2), 64);
  std::vector<float> expected;
  for (int threads : {1, 2, 3}) {
    Simulation simulation = simulate(scene, threads);
    ASSERT_GT(simulation.tracers().size(), 4096U);  // enough for the parallel branch
    make_steps(simulation, 10);
    if (threads == 1) expected = simulation.tracers().position;
    EXPECT_EQ(simulation.tracers().position, expected) << threads << " threads";
  }
}

TEST(TracersOfARun, AreRefusedFromAStateThatDoesNotFit) {
  const Scene scene = with_tracers(collapse(2), 4);
  Simulation simulation = simulate(scene);
  const auto saved = simulation.save_state();
  Simulation denser = simulate(with_tracers(collapse(2), 5));
  expect_error(ErrorCategory::kFile, {"another kind of scene", "tracers: 4 per cell"},
               [&] { denser.load_state(saved); });
  for (float value : {std::nanf(""), 1e30f}) {
    const auto inside = unsealed(saved, scene);
    std::vector<std::byte> damaged(inside.begin(), inside.end());  // the tracers come last
    std::memcpy(damaged.data() + damaged.size() - sizeof value, &value, sizeof value);
    expect_error(ErrorCategory::kFile, {"tracer", "outside"},
                 [&] { simulation.load_state(sealed(damaged, scene)); });
  }
}

// They go where the particles go that they move with, and do not come back; the others keep their
// ids.
TEST(TracersOfARun, AreTakenBySinksAndOpenFaces) {
  for (const bool open : {false, true}) {
    Scene scene = with_tracers(collapse(2), 4);
    const double end = open ? 1.6 : 1.2;
    if (open)
      scene.grid.domain->boundary[1] = BoundaryType::kOpen;
    else
      scene.sinks = {{"drain", box({1.2, -1, 0}, {2, 2, 0})}};
    Simulation simulation = simulate(scene);
    const std::size_t all = simulation.tracers().size();
    std::size_t left = all;
    for (int frame = 0; frame < 36; ++frame) {
      simulation.advance_frame();
      const Snapshot tracers = simulation.tracers();
      EXPECT_LE(tracers.size(), left);
      left = tracers.size();
      ASSERT_EQ(tracers.position.size(), 2 * left);
      EXPECT_TRUE(std::is_sorted(tracers.id.begin(), tracers.id.end()));
      for (std::size_t i = 0; i < left; ++i) EXPECT_LE(position_in(tracers, i)[0], end);
    }
    const double of_particles = static_cast<double>(simulation.snapshot().size()) /
                                static_cast<double>(simulate(scene).snapshot().size());
    EXPECT_LT(of_particles, 0.8);
    EXPECT_NEAR(static_cast<double>(left) / static_cast<double>(all), of_particles, 0.1);
    Simulation after = simulate(scene);
    after.load_state(simulation.save_state());
    EXPECT_EQ(after.tracers().id, simulation.tracers().id);
    EXPECT_EQ(after.tracers().position, simulation.tracers().position);
  }
}

TEST(TracersOfARun, AreInTheEstimate) {
  for (int dimension : {2, 3})
    for (Precision precision : {Precision::kSingle, Precision::kDouble}) {
      Scene plain = collapse(dimension);
      plain.simulation.precision = precision;
      const Scene scene = with_tracers(plain, 27);
      const SceneEstimate e = estimate(scene);
      Simulation without = simulate(plain), with = simulate(scene);
      EXPECT_EQ(static_cast<std::size_t>(e.tracers), with.tracers().size());
      EXPECT_EQ(e.tracer_bytes, with.stats().memory_bytes - without.stats().memory_bytes);
      EXPECT_EQ(e.state_bytes - estimate(plain).state_bytes, e.tracer_bytes);
      EXPECT_EQ(estimate(plain).tracer_bytes, 0U);
    }
}

}  // namespace
}  // namespace firn::test
