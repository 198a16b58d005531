// What sources bring: no seams, no more than fits, the same bits after a restart, and, of sources
// that move, particles that fly on from where they came in.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "src/state/source_flow.h"
#include "tests/support/sim_scenes.h"
#include "tests/support/thermal_scenes.h"

namespace firn::test {
namespace {

Shape cylinder(const Vec3& from, const Vec3& to, double radius) {
  Shape s;
  s.type = ShapeType::kCylinder;
  s.from = from;
  s.to = to;
  s.radius = radius;
  return s;
}

Scene tap_scene(int dimension, const Shape& shape, const Vec3& velocity) {
  Scene scene = empty_scene(dimension, 0.05, Precision::kDouble);
  scene.simulation.gravity = {0, 0, 0};
  scene.simulation.fps = 20;
  scene.materials = {water("water")};
  scene.materials[0].bulk_modulus = 500;
  Source tap;
  tap.name = "tap";
  tap.shape = shape;
  tap.velocity = velocity;
  scene.sources = {tap};
  return scene;
}

// All that a source has brought by the last of `emissions`, flown on freely until then.
std::vector<Vec3> flown(const Scene& scene, std::uint64_t emissions) {
  const SourceFlow flow(scene, 0);
  std::vector<Vec3> points;
  for (std::uint64_t k = 0; k < emissions; ++k) {
    const ParticleBatch batch = flow.batch(k);
    const double left = flow.time(emissions - 1) - flow.time(k);
    for (std::size_t i = 0; i < batch.position.size(); ++i) {
      Vec3 x = batch.position[i];
      for (std::size_t a = 0; a < 3; ++a) x[a] += left * batch.velocity[i][a];
      points.push_back(x);
    }
  }
  return points;
}

double closest(const std::vector<Vec3>& points) {
  double least = 1e30;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t j = i + 1; j < points.size(); ++j)
      least = std::min(least, std::hypot(points[i][0] - points[j][0], points[i][1] - points[j][1],
                                         points[i][2] - points[j][2]));
  return least;
}

// Blue noise keeps 0.7 of its spacing between any two points (sampling.h), so do those of a jet:
// also where one emission joins the next, and where the nozzle stands askew.
TEST(SourceFlow, HasNoSeamsWhateverTheDirection) {
  for (const Vec3& velocity : {Vec3{0, -1, 0}, Vec3{0.7, -1, 0.4}, Vec3{3, 0.2, 0}}) {
    const Scene scene = tap_scene(3, cylinder({0, 0, 0}, {0.02, 0.06, 0}, 0.12), velocity);
    const std::vector<Vec3> points = flown(scene, 12);
    EXPECT_GT(points.size(), 300u);
    EXPECT_GE(closest(points), 0.7 * 0.5 * scene.grid.dx * (1 - 1e-9));
  }
}

// In a lattice every emission of half a cell is one layer: n^2 particles each.
TEST(SourceFlow, OfALatticeGoesOnLayerByLayer) {
  Scene scene = tap_scene(3, box({0, 0, 0}, {0.2, 0.1, 0.2}), {0, 2, 0});
  scene.sources[0].sampling = Sampling::kUniform;
  const SourceFlow flow(scene, 0);
  EXPECT_EQ(flow.period(), 0.5 * 0.05 / 2);
  EXPECT_EQ(flow.batch(0).position.size(), 8u * 8u * 4u);
  for (std::uint64_t k = 1; k < 50; ++k) EXPECT_EQ(flow.batch(k).position.size(), 64u) << k;
  EXPECT_NEAR(flow.batch(1).volume, std::pow(0.025, 3), 1e-12);
}

// Density times what a window of that shape sweeps: in the mean for any angle.
// Expressions are of the world's coordinates, also for a source that has moved.
TEST(SourceFlow, HasTheTemperatureOfWhereItIs) {
  Scene scene = thermal_scene(2, 0.05);
  scene.materials = {solid("wax", 1e4, 1e6)};
  scene.sources.resize(1);
  Source& source = scene.sources[0];
  source.material = 0;
  source.shape = box({0.2, 0.8, 0}, {0.4, 1.2, 0});
  source.velocity = {0, -1, 0};
  source.temperature = {0, "300 + 100*x"};
  source.motion = Keyframes{{0, 10}, {{1.5, 0, 0}, {1.5, 0, 0}}, {}, {}};
  const SourceFlow flow(scene, 0);
  std::size_t particles = 0;
  for (std::uint64_t emission = 0; emission < 4; ++emission) {
    const ParticleBatch batch = flow.batch(emission);
    for (std::size_t i = 0; i < batch.position.size(); ++i, ++particles) {
      EXPECT_GT(batch.position[i][0], 1.69);
      EXPECT_NEAR(batch.temperature[i], 300 + 100 * batch.position[i][0], 1e-9);
    }
  }
  EXPECT_GT(particles, 50u);
}

TEST(SourceFlow, BringsWhatItsOutlineSweeps) {
  // A box of 0.4 x 0.2 that moves along (1, 1) sweeps (0.4 + 0.2) times the way along each axis. At
  // its two corners on the sides, paths of 2 d cross it at the distance d: a share of 1 - 2 d / l
  // of them are through within the l of a period. That is l / 4 of the outline's width at either.
  const Scene scene = tap_scene(2, box({0, 0, 0}, {0.4, 0.2, 0}), {1, 1, 0});
  const SourceFlow flow(scene, 0);
  double volume = 0;
  constexpr int kEmissions = 400;
  for (std::uint64_t k = 1; k <= kEmissions; ++k) {
    const ParticleBatch batch = flow.batch(k);
    volume += batch.volume * static_cast<double>(batch.position.size());
  }
  const double way = 0.5 * scene.grid.dx;
  const double expected = (0.6 / std::sqrt(2.0) - 0.5 * way) * way * kEmissions;
  EXPECT_NEAR(volume, expected, 0.01 * expected);
}

// A source that is carried along: a particle flies from where it came in, with the velocity that
// the source's flow and the motion of that point had together. Around a pivot, known in closed
// form.
TEST(SourceFlow, MovesAlong) {
  Scene scene = tap_scene(2, box({1, -0.1, 0}, {1.1, 0.1, 0}), {0.5, 0, 0});
  scene.sources[0].motion = Keyframes{{0, 10}, {}, {{0, 0, 0}, {0, 0, 20}}, {}};  // 2 rad/s
  const SourceFlow flow(scene, 0);
  for (const std::uint64_t k : {0ull, 1ull, 7ull, 40ull}) {
    const ParticleBatch batch = flow.batch(k);
    ASSERT_GT(batch.position.size(), 0u);
    for (std::size_t i = 0; i < batch.position.size(); ++i) {
      const Vec3 &x = batch.position[i], &v = batch.velocity[i];
      // On entry at the angle a, at (1, y) of the source: v = 0.5 e + 2 z x r.
      const double along = std::hypot(v[0], v[1]);
      bool known = false;
      for (int n = 0; n <= 1000 && !known; ++n) {  // when it may have come in
        const double ago = k == 0 ? 0 : flow.period() * n / 1000, a = 2 * (flow.time(k) - ago);
        const Vec3 entry = {x[0] - ago * v[0], x[1] - ago * v[1], 0};
        const Vec3 local = {std::cos(a) * entry[0] + std::sin(a) * entry[1],
                            std::cos(a) * entry[1] - std::sin(a) * entry[0], 0};
        const Vec3 expected = {0.5 * std::cos(a) - 2 * entry[1], 0.5 * std::sin(a) + 2 * entry[0],
                               0};
        const bool at_inlet = k == 0 || std::abs(local[0] - 1) < 1e-4;
        known = at_inlet && std::hypot(v[0] - expected[0], v[1] - expected[1]) < 1e-3 * along;
      }
      EXPECT_TRUE(known) << k << ": " << x[0] << ' ' << x[1];
    }
  }
}

// A nozzle that is stopped up by a plate right before it, as a whole or half of it: there is never
// much more than fits, nothing is thrown at what is there, and the open half flows on.
TEST(Sources, DoNotOverfillABlockedNozzle) {
  Scene scene = tap_scene(2, box({0, 0, 0}, {0.4, 0.2, 0}), {0, -1, 0});
  scene.simulation.gravity = {0, -9.81, 0};
  scene.grid.domain = closed_box({-0.05, -0.05, 0}, {0.45, 2, 0});
  scene.materials[0].bulk_modulus = 2e4;
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 60; ++frame) simulation.advance_frame();  // 3 s: 15 fillings
  const FrameStats stats = simulation.stats();
  // 0.5 m wide; it may stand up to the upper end of the shape, 0.25 m, and somewhat higher.
  EXPECT_GT(stats.totals.mass, 1000 * 0.5 * 0.2);
  EXPECT_LT(stats.totals.mass, 1000 * 0.5 * 0.25 * 1.3);
  const std::int64_t then = stats.emitted;
  for (int frame = 0; frame < 20; ++frame) simulation.advance_frame();
  EXPECT_LT(simulation.stats().emitted - then, then / 20);
}

TEST(Sources, WithoutAnythingInTheWayBringAll) {
  const Scene scene = tap_scene(3, cylinder({0, 0, 0}, {0, 0.1, 0}, 0.15), {0.4, -1, 0});
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 10; ++frame) simulation.advance_frame();
  const SourceFlow flow(scene, 0);
  std::int64_t all = 0;
  for (std::uint64_t k = 0; flow.time(k) < simulation.time() - 1e-9; ++k)
    all += static_cast<std::int64_t>(flow.batch(k).position.size());
  EXPECT_EQ(simulation.stats().emitted, all);
}

// What is refused depends on what is there, which a restart must find again.
TEST(Sources, GoOnBitForBitWhereTheyAreBlocked) {
  Scene scene = tap_scene(2, box({0, 0, 0}, {0.4, 0.2, 0}), {0, -1, 0});
  scene.simulation.gravity = {0, -9.81, 0};
  scene.grid.domain = closed_box({-0.05, -0.05, 0}, {0.45, 2, 0});
  scene.materials[0].bulk_modulus = 2e4;
  scene.sources[0].motion = Keyframes{{0, 5}, {{0, 0, 0}, {0.02, 0.01, 0}}, {}, {}};
  Simulation whole = simulate(scene), first = simulate(scene);
  for (int frame = 0; frame < 14; ++frame) whole.advance_frame();
  for (int frame = 0; frame < 8; ++frame) first.advance_frame();
  Simulation second = simulate(scene);
  second.load_state(first.save_state());
  for (int frame = 8; frame < 14; ++frame) second.advance_frame();
  EXPECT_TRUE(second.save_state() == whole.save_state());
}

}  // namespace
}  // namespace firn::test
