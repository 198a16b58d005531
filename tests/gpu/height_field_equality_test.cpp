// Cliffs of a height field, whose distances are sampled near the surface, on CUDA as on the CPU.
#include <gtest/gtest.h>

#include "tests/support/device.h"
#include "tests/support/height_fields.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

Scene pit(int dimension, Precision precision) {
  Scene scene = empty_scene(dimension, 0.05, precision);
  scene.simulation.gravity = {0, -9.81, 0};
  scene.materials = {elastic("jelly")};
  const double deep = dimension == 3 ? 0.2 : 0;
  scene.bodies = {body("jelly", 0, box({-0.2, 0, -deep}, {0.2, 0.3, deep}), {2, 0, 0})};
  scene.colliders = {
      collider("ground",
               height_field(dimension == 3 ? "abs(x) < 0.22 && abs(z) < 0.22 ? 0 : 0.5"
                                           : "abs(x) < 0.22 ? 0 : 0.5",
                            {-1, 0, -2.5 * deep}, {1, 0, 2.5 * deep}),
               BoundaryType::kSeparate)};
  return scene;
}

// As in mesh_sequence_equality_test.cpp.
TEST(GpuHeightField, CliffsHoldAsOnTheCpu) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  for (const int dimension : {2, 3})
    for (const Precision precision : {Precision::kSingle, Precision::kDouble}) {
      const Scene scene = pit(dimension, precision);
      Simulation cpu(scene, {Device::kCpu, 1}), gpu(scene, {Device::kCuda, 1});
      cpu.advance_steps(20);
      gpu.advance_steps(20);
      ASSERT_NEAR(cpu.time(), gpu.time(), 1e-6 * cpu.time());
      const Snapshot a = cpu.snapshot(), b = gpu.snapshot();
      ASSERT_EQ(a.size(), b.size());
      const double tolerance = precision == Precision::kSingle ? 1e-5 : 1e-6;
      for (std::size_t i = 0; i < a.position.size(); ++i)
        ASSERT_NEAR(a.position[i], b.position[i], tolerance);
      const Vec3 on_cpu = cpu.stats().reactions.at(0).force,
                 on_gpu = gpu.stats().reactions[0].force;
      EXPECT_GT(on_cpu[0], 1) << "the wall is not met";
      EXPECT_NEAR(on_cpu[0], on_gpu[0], 1e-3 * on_cpu[0]);
    }
}

}  // namespace
}  // namespace firn::test
