// Nodes behind walls that hold both ways, on both backends: what is thrown into a corner of walls
// that slip and stick is in the same place after some steps, fused and not, explicit and implicit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/device.h"
#include "tests/support/mirror_scenes.h"

namespace firn::test {
namespace {

class GpuMirroredWalls : public testing::TestWithParam<ThrownCase> {};

Snapshot after(const ThrownCase& c, int dimension, Device device) {
  Scene scene = walled_scene(dimension, Precision::kDouble, 0.05, {0, 0, 0}, {1, 1, 1});
  scene.grid.domain->boundary[2] = BoundaryType::kSticky;
  scene.simulation.integrator = c.integrator;
  scene.transfer.type = c.transfer;
  scene.transfer.blend = c.blend;
  scene.implicit.tolerance = 1e-9;
  if (c.integrator != Integrator::kExplicit) scene.time.dt_max = 2e-3;
  NewParticles particles = scattered(scene, {0, 0, 0}, {0.15, 0.15, 0.15});
  particles.velocity.assign(particles.position.size(), {-2, -1, dimension == 3 ? -1.5 : 0});
  Simulation simulation(scene, {.device = device, .threads = 1});
  simulation.add_particles(particles);
  simulation.advance_steps(c.steps);
  return simulation.snapshot();
}

TEST_P(GpuMirroredWalls, AreThoseOfTheCpu) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  for (const int dimension : {2, 3}) {
    const Snapshot cpu = after(GetParam(), dimension, Device::kCpu),
                   gpu = after(GetParam(), dimension, Device::kCuda);
    ASSERT_EQ(gpu.velocity.size(), cpu.velocity.size());
    double worst = 0;
    for (std::size_t i = 0; i < cpu.velocity.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(cpu.velocity[i] - gpu.velocity[i])));
    EXPECT_LE(worst, 1e-5) << dimension << "D";  // of some m/s
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuMirroredWalls, testing::ValuesIn(thrown_cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace firn::test
