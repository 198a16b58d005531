// Liquid of a ghost fluid's surface at walls wherever they lie: it rests beside walls that cut
// cells, and does not fall for ever in a corner; and what drains along a wall is drained.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr double kDx = 0.025, kGravity = 9.81, kDepth = 0.4;

Scene tank(double width, const Shape& shape, BoundaryType type = BoundaryType::kSlip) {
  Scene scene = liquid_scene(2, kDx);
  scene.simulation.gravity = {0, -kGravity, 0};
  scene.fluid.free_surface = FreeSurface::kGhostFluid;
  scene.grid.domain = closed_box({0, 0, 0}, {width, 1, 0});
  scene.grid.domain->boundary.fill(type);
  scene.bodies = {lattice("water", shape)};
  return scene;
}

// m/s, in the second half of five seconds.
double fastest_at_last(const Scene& scene) {
  Simulation simulation = simulate(scene);
  double fastest = 0;
  for (int frame = 0; frame < 120; ++frame) {
    simulation.advance_frame();
    if (frame >= 60) fastest = std::max(fastest, simulation.stats().max_speed);
  }
  return fastest;
}

// Where the wall lies within its cells. With its share unknown it stirs the pool for ever, at a
// fifth to two fifths of sqrt(g h).
TEST(LiquidWalls, ThatCutCellsLeaveAPoolAtRest) {
  for (const double part : {0.12, 0.2, 0.3, 0.5, 0.6, 0.8}) {
    const double width = 1 + part * kDx;
    const Scene scene = tank(width, box({0, 0, 0}, {width, kDepth, 0}));
    EXPECT_LT(fastest_at_last(scene), 0.02 * std::sqrt(kGravity * kDepth)) << part;
  }
}

TEST(LiquidWalls, ThatAreTiltedLeaveAPoolAtRest) {
  for (const double degrees : {5, 10, 20}) {
    const double angle = degrees * M_PI / 180;
    const Vec3 foot{0.9, 0, 0}, normal{-std::cos(angle), std::sin(angle), 0};
    Shape pool;
    pool.type = ShapeType::kIntersection;
    pool.children = {box({0, 0, 0}, {1.6, kDepth, 0}),
                     half_space(foot, {-normal[0], -normal[1], 0})};
    Scene scene = tank(1.6, pool);
    scene.colliders = {collider("slope", half_space(foot, normal), BoundaryType::kSlip)};
    EXPECT_LT(fastest_at_last(scene), 0.02 * std::sqrt(kGravity * kDepth)) << degrees;
  }
}

// A drop that slides there, and a film that lies there from the beginning.
TEST(LiquidWalls, HoldWhatLiesInACorner) {
  for (const BoundaryType type : {BoundaryType::kSlip, BoundaryType::kSeparate}) {
    Scene drop = tank(1, sphere({0.8, 0.2, 0}, 0.03), type);
    drop.bodies[0].sampling = Sampling::kPoisson;
    drop.bodies[0].velocity.component[0].constant = 1;
    for (const Scene& scene : {drop, tank(1, box({0, 0, 0}, {1, kDx / 2, 0}), type)}) {
      Simulation simulation = simulate(scene);
      const double fall = std::hypot(1, std::sqrt(2 * kGravity * 0.23));
      for (int frame = 0; frame < 72; ++frame) {
        simulation.advance_frame();
        ASSERT_LE(simulation.stats().max_speed, 1.1 * fall) << frame;
      }
    }
  }
}

// Its face lies on the floor, as particles may.
TEST(LiquidWalls, SinksOnAFloorTakeWhatLiesOnIt) {
  Scene scene = tank(3, box({0.5, 0, 0}, {0.7, 0.05, 0}), BoundaryType::kSeparate);
  scene.bodies[0].velocity.component[0].constant = 1;
  Sink drain;
  drain.shape = box({1, 0, 0}, {1.5, 0.3, 0});
  scene.sinks = {drain};
  Simulation simulation = simulate(scene);
  for (int frame = 0; frame < 48; ++frame) simulation.advance_frame();
  const Snapshot s = simulation.snapshot();
  for (std::size_t i = 0; i < s.size(); ++i) EXPECT_LT(double{s.position[2 * i]}, 1) << i;
}

}  // namespace
}  // namespace firn::test
