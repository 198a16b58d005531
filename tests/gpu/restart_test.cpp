// States saved within a frame go on on a device: the blocks are those of the state, whatever layout
// the simulation that loads it began with, and however many it has room for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/device.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

class GpuRestart : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  }
};

// So many bodies of four cells, each far from all others, that the sort of their blocks is that of
// large grids. They fly over the border of a block, which lies at multiples of four cells.
Scene dust(double first_cell) {
  constexpr double dx = 0.02;
  Scene scene = empty_scene(2, dx, Precision::kSingle);
  scene.simulation.gravity = {};
  scene.simulation.reproducible = true;
  scene.time.dt_max = 1e-3;
  scene.materials = {elastic("jelly", MaterialModel::kFixedCorotated, 1e4)};
  for (int i = 0; i < 24 * 24; ++i) {
    const double x = (32 * (i % 24) + first_cell) * dx, y = (32 * (i / 24) + 3) * dx;
    scene.bodies.push_back(body("speck" + std::to_string(i), 0,
                                box({x, y, 0}, {x + 2 * dx, y + 2 * dx, 0}), {1, 0.1, 0}));
    scene.bodies.back().sampling = Sampling::kUniform;
  }
  return scene;
}

void advance(Simulation& simulation, int steps) {
  Observer observer;
  int made = 0;
  observer.step = [&](const StepInfo&) { return ++made < steps; };
  while (made < steps) simulation.advance_frame(observer);
}

constexpr int kSteps = 70;  // 3.5 cells

void goes_on(const Scene& scene) {
  Simulation cpu = simulate(scene);
  const std::int64_t at_start = cpu.stats().blocks;
  advance(cpu, kSteps);
  const auto state = cpu.save_state();
  Simulation gpu(scene, {Device::kCuda, 1});
  gpu.load_state(state);
  for (Simulation* simulation : {&cpu, &gpu}) advance(*simulation, 3);
  const Snapshot a = cpu.snapshot(), b = gpu.snapshot();
  ASSERT_EQ(a.id, b.id);
  double most = 0;
  for (std::size_t i = 0; i < a.position.size(); ++i)
    most = std::max(most, std::abs(double{a.position[i]} - double{b.position[i]}));
  EXPECT_LT(most, 1e-4 * scene.grid.dx);
  // That the sort is that of large grids.
  EXPECT_GT(at_start, 4096);
}

TEST_F(GpuRestart, OverTheBorderFromOneBlock) { goes_on(dust(3)); }
TEST_F(GpuRestart, OverTheBorderFromTwoBlocks) { goes_on(dust(7)); }

}  // namespace
}  // namespace firn::test
