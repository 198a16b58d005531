// Where colliders, or colliders and walls of the domain, that let go of material meet: none of it
// gets out through their joint, wherever that lies in its cells.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kDx = 0.0625;

Scene still_pool(int dimension, Integrator integrator, const Vec3& at, const Vec3& size) {
  Scene scene = empty_scene(dimension, kDx);
  scene.simulation.integrator = integrator;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.simulation.fps = 24;
  Material water = test::water("water");
  water.viscosity = 1e-3;
  scene.materials = {water};
  scene.bodies = {body("pool", 0, box(at, {at[0] + size[0], at[1] + size[1], at[2] + size[2]}))};
  return scene;
}

// How many particles lie more than 0.55 cells outside of a box, which is open above.
std::int64_t outside(const Simulation& simulation, int dimension, const Vec3& min,
                     const Vec3& max) {
  const Snapshot now = simulation.snapshot();
  std::int64_t count = 0;
  const auto axes = static_cast<std::size_t>(dimension);
  for (std::size_t p = 0; p < now.id.size(); ++p) {
    bool out = false;
    for (std::size_t a = 0; a < axes; ++a) {
      const double x = static_cast<double>(now.position[axes * p + a]);
      out = out || x < min[a] - 0.55 * kDx || (a != 1 && x > max[a] + 0.55 * kDx);
    }
    count += out ? 1 : 0;
  }
  return count;
}

// Half a metre of water between boxes that stand on a third one.
std::int64_t lost_by_boxes(Integrator integrator, double dx, double dy) {
  const Vec3 low{dx, dy, 0}, high{1 + dx, 1 + dy, 0};
  Scene scene = still_pool(2, integrator, low, {1, 0.5, 0});
  const auto wall = [&](const char* name, const Vec3& min, const Vec3& max) {
    scene.colliders.push_back(collider(name, box(min, max), BoundaryType::kSeparate));
  };
  wall("floor", {low[0] - 0.3, low[1] - 0.3, 0}, {high[0] + 0.3, low[1], 0});
  wall("left", {low[0] - 0.3, low[1], 0}, {low[0], high[1], 0});
  wall("right", {high[0], low[1], 0}, {high[0] + 0.3, high[1], 0});
  Simulation simulation = simulate(scene);
  simulation.advance_until(1.5);
  return outside(simulation, 2, low, high);
}

TEST(Joints, OfBoxesHoldWater) {
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kOptimization})
    for (const Vec3& off : {Vec3{0.026, 0.018, 0}, Vec3{0.04, 0.05, 0}, Vec3{0.01, 0.03, 0}})
      EXPECT_LE(lost_by_boxes(integrator, off[0], off[1]), 1)
          << static_cast<int>(integrator) << " at " << off[0] << " " << off[1];
}

// A dam on the floor of the domain.
std::int64_t lost_by_dam(Integrator integrator, double off) {
  Scene scene = still_pool(2, integrator, {0, 0, 0}, {1 + off, 0.5, 0});
  scene.grid.domain = Domain{};
  scene.grid.domain->min = {0, 0, 0};
  scene.grid.domain->max = {2, 1, 0};
  scene.grid.domain->boundary.fill(BoundaryType::kSeparate);
  scene.colliders = {
      collider("dam", box({1 + off, 0, 0}, {1.3 + off, 1, 0}), BoundaryType::kSeparate)};
  Simulation simulation = simulate(scene);
  simulation.advance_until(1.5);
  return outside(simulation, 2, {0, 0, 0}, {1 + off, 1, 0});
}

TEST(Joints, OfADamAndTheFloorOfTheDomainHoldWater) {
  for (const Integrator integrator : {Integrator::kExplicit, Integrator::kOptimization})
    for (const double off : {0.013, 0.026, 0.045})
      EXPECT_LE(lost_by_dam(integrator, off), 1) << static_cast<int>(integrator) << " at " << off;
}

TEST(Joints, OfATankOfFiveBoxesHoldWater) {
  const Vec3 low{0.026, 0.018, 0.034}, high{0.526, 1.018, 0.534};
  Scene scene = still_pool(3, Integrator::kExplicit, low, {0.5, 0.4, 0.5});
  const auto wall = [&](const char* name, const Vec3& min, const Vec3& max) {
    scene.colliders.push_back(collider(name, box(min, max), BoundaryType::kSeparate));
  };
  constexpr double kThick = 0.3;
  wall("floor", {low[0] - kThick, low[1] - kThick, low[2] - kThick},
       {high[0] + kThick, low[1], high[2] + kThick});
  wall("left", {low[0] - kThick, low[1], low[2]}, {low[0], high[1], high[2]});
  wall("right", {high[0], low[1], low[2]}, {high[0] + kThick, high[1], high[2]});
  wall("back", {low[0] - kThick, low[1], low[2] - kThick}, {high[0] + kThick, high[1], low[2]});
  wall("front", {low[0] - kThick, low[1], high[2]}, {high[0] + kThick, high[1], high[2] + kThick});
  Simulation simulation = simulate(scene);
  simulation.advance_until(1);
  EXPECT_LE(outside(simulation, 3, low, high), 2);
}

}  // namespace
}  // namespace firn::test
