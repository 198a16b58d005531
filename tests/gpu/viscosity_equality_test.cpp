// Viscous liquids on both backends: the same flow, and the same forces on what they move along.
#include <gtest/gtest.h>

#include "tests/support/device.h"
#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

class GpuViscosity : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  }
};

// Two syrups fall beside and onto a sticky floor that is drawn along, off the lines of the grid.
Scene syrups(int dimension, Precision precision, int kernel, FreeSurface surface) {
  Scene scene = liquid_scene(dimension, 0.05, precision);
  const double depth = dimension == 3 ? 0.3 : 0;
  scene.simulation.fps = 50;
  scene.simulation.gravity = {0, -9.81, 0};
  scene.transfer.kernel = kernel;
  scene.fluid.free_surface = surface;
  scene.time.dt_max = 5e-3;
  scene.materials = {liquid(), liquid(1400)};
  scene.materials[0].viscosity = 5;
  scene.materials[1].name = "thick";
  scene.materials[1].viscosity = 100;
  scene.bodies = {body("thin", 0, box({0, 0.12, 0}, {0.3, 0.3, depth}), {0.5, 0, 0}),
                  body("thick", 1, box({0.32, 0.2, 0}, {0.6, 0.5, depth}), {0, -1, 0})};
  scene.colliders = {collider("floor", box({-4, -1, -4}, {4, 0.12, 4}), BoundaryType::kSticky)};
  if (dimension == 2) scene.colliders[0].shape = box({-4, -1, 0}, {4, 0.12, 0});
  Keyframes along;
  along.times = {0, 1};
  along.translation = {{0, 0, 0}, {0.5, 0, 0}};
  scene.colliders[0].motion = along;
  return scene;
}

// Solves end within 1e-4 of what they start from.
TEST_F(GpuViscosity, FlowsAsOnTheCpu) {
  for (const int dimension : {2, 3})
    for (const Precision precision : {Precision::kSingle, Precision::kDouble})
      for (const FreeSurface surface : {FreeSurface::kFirstOrder, FreeSurface::kGhostFluid})
        for (const int kernel : {1, 2, 3}) {
          SCOPED_TRACE(testing::Message() << dimension << "D, precision " << int(precision)
                                          << ", surface " << int(surface) << ", kernel " << kernel);
          const Scene scene = syrups(dimension, precision, kernel, surface);
          Simulation cpu(scene, {Device::kCpu, 1}), gpu(scene, {Device::kCuda, 1});
          cpu.advance_frame();
          gpu.advance_frame();
          const Snapshot a = cpu.snapshot(), b = gpu.snapshot();
          ASSERT_EQ(a.size(), b.size());
          for (std::size_t i = 0; i < a.velocity.size(); ++i)
            ASSERT_NEAR(a.velocity[i], b.velocity[i], 2e-3);
          EXPECT_GT(cpu.stats().viscosity.iterations, cpu.stats().viscosity.solves);
          EXPECT_EQ(cpu.stats().steps, gpu.stats().steps);
          const double mass = cpu.totals().mass;
          for (int axis = 0; axis < 2; ++axis)
            EXPECT_NEAR(cpu.stats().reactions[0].force[axis], gpu.stats().reactions[0].force[axis],
                        1e-2 * mass * 9.81);
        }
}

}  // namespace
}  // namespace firn::test
