// What a frame brings from the device to the host: a few sums, not the particles. Counted on the
// CPU, where the same calls are copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>

#include "kernels/exec/backend.h"
#include "kernels/step/control.h"
#include "tests/support/device.h"
#include "tests/support/thermal_scenes.h"

namespace {

std::map<std::size_t, int> downloads;  // by their size

}  // namespace

extern "C" {
void __real__ZN4firn3Cpu8downloadEPvPKvm(firn::Cpu*, void*, const void*, std::size_t);
void __wrap__ZN4firn3Cpu8downloadEPvPKvm(firn::Cpu* exec, void* to, const void* from,
                                         std::size_t bytes) {
  ++downloads[bytes];
  __real__ZN4firn3Cpu8downloadEPvPKvm(exec, to, from, bytes);
}
}

namespace firn::test {
namespace {

// Of one frame of a warm simulation with the sums that its statistics bring. What a step looks at
// to know how it went (its control block, the ends of solves) belongs to the steps.
std::size_t bytes_beside_steps(const Scene& scene) {
  Simulation simulation = simulate(scene);
  simulation.advance_frame();
  downloads.clear();
  simulation.advance_frame();
  const FrameStats stats = simulation.stats();
  EXPECT_GT(stats.totals.mass, 0);
  EXPECT_GT(stats.particles, 2000);
  std::size_t sum = 0;
  for (const auto& [bytes, times] : downloads)
    if (bytes != sizeof(StepControl)) sum += bytes * static_cast<std::size_t>(times);
  return sum;
}

Scene pool(Scene scene, int dimension) {
  const double depth = dimension == 3 ? 0.4 : 0;
  scene.simulation.fps = 1000;
  scene.grid.domain = closed_box({0, 0, 0}, {0.8, 0.8, depth});
  scene.bodies = {body("block", 0, box({0, 0, 0}, {0.8, 0.4, depth}))};
  scene.bodies[0].temperature.constant = 300;
  scene.colliders = {collider("plate", box({0, -0.1, 0}, {0.8, 0.05, 0.4}), BoundaryType::kSlip)};
  return scene;
}

constexpr std::size_t kMost = 4096;

TEST(Downloads, AFrameOfAnExplicitSceneBringsSumsOnly) {
  for (int dimension : {2, 3}) {
    SCOPED_TRACE(dimension);
    Scene scene = empty_scene(dimension, dimension == 3 ? 0.05 : 0.02, Precision::kSingle);
    scene.materials = {elastic("jelly")};
    EXPECT_LE(bytes_beside_steps(pool(scene, dimension)), kMost);
  }
}

TEST(Downloads, AFrameOfALiquidBringsSumsOnly) {
  for (int dimension : {2, 3}) {
    SCOPED_TRACE(dimension);
    const Scene scene = liquid_scene(dimension, dimension == 3 ? 0.05 : 0.02);
    EXPECT_LE(bytes_beside_steps(pool(scene, dimension)), kMost);
  }
}

TEST(Downloads, AFrameWithHeatBringsSumsOnly) {
  for (int dimension : {2, 3}) {
    SCOPED_TRACE(dimension);
    Scene scene = thermal_scene(dimension, dimension == 3 ? 0.05 : 0.02);
    scene.materials = {solid("gel", 1e4, 1e5)};
    EXPECT_LE(bytes_beside_steps(pool(scene, dimension)), kMost);
  }
}

}  // namespace
}  // namespace firn::test
