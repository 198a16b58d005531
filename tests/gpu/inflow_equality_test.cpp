// A source within liquid on both backends: the same flow and the same work.
#include <gtest/gtest.h>

#include "tests/support/device.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

class GpuInflow : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  }
};

Scene fed_pipe(int dimension, Precision precision) {
  Scene scene = liquid_scene(dimension, 0.05, precision);
  const double depth = dimension == 3 ? 0.2 : 0;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.grid.domain = closed_box({0, 0, 0}, {0.8, 0.2, depth});
  scene.grid.domain->boundary[1] = BoundaryType::kOpen;
  scene.bodies = {lattice("water", box({0, 0, 0}, {0.8, 0.2, depth}))};
  Source source;
  source.name = "inlet";
  source.shape = box({0, 0, 0}, {0.1, 0.2, depth});
  source.velocity = {0.5, 0, 0};
  scene.sources = {source};
  return scene;
}

// Solves end within 1e-4 of what they start from.
TEST_F(GpuInflow, FlowsAsOnTheCpu) {
  for (const int dimension : {2, 3})
    for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
      const Scene scene = fed_pipe(dimension, precision);
      Simulation cpu(scene, {Device::kCpu, 1}), gpu(scene, {Device::kCuda, 1});
      cpu.advance_frame();
      gpu.advance_frame();
      const Snapshot a = cpu.snapshot(), b = gpu.snapshot();
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.position.size(); ++i)
        ASSERT_NEAR(a.position[i], b.position[i], 1e-4);
      EXPECT_GT(cpu.stats().source_work, 1e-3);
      EXPECT_NEAR(cpu.stats().source_work, gpu.stats().source_work, 1e-2 * cpu.stats().source_work);
    }
}

}  // namespace
}  // namespace firn::test
