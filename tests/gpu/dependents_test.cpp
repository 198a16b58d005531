// Nodes that depend on others, on both backends: what is thrown at colliders that stick and slip,
// tilted, curved and moving, and into their corners, on a wall behind which nodes are images, moves
// alike after some steps, fused and not, explicit and implicit, and so does what they take.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/device.h"
#include "tests/support/mirror_scenes.h"

namespace firn::test {
namespace {

class GpuDependents : public testing::TestWithParam<ThrownCase> {};

struct End {
  std::vector<float> velocity;
  std::vector<ColliderImpulse> impulses;
};

End after(const ThrownCase& c, int dimension, Device device) {
  Scene scene = walled_scene(dimension, Precision::kDouble, 0.05, {-1, 0, -1}, {1, 1, 1});
  scene.simulation.integrator = c.integrator;
  scene.transfer.type = c.transfer;
  scene.transfer.blend = c.blend;
  scene.implicit.tolerance = 1e-9;
  if (c.integrator != Integrator::kExplicit) scene.time.dt_max = 2e-3;
  scene.colliders = {
      collider("stone", sphere({0.11, 0.02, dimension == 3 ? 0.07 : 0}, 0.13),
               BoundaryType::kSticky),
      collider("ramp", half_space({0.03, 0.13, 0}, {0.8, 0.6, 0}), BoundaryType::kSlip),
      collider("lid", half_space({0, 0.33, 0}, {-0.1, -1, 0}), BoundaryType::kSticky),
      // At a right angle with the ramp.
      collider("side", half_space({0.2, 0.14, 0}, {-0.6, 0.8, 0}), BoundaryType::kSlip)};
  scene.colliders[0].motion =
      Keyframes{{0, 1}, {{0, 0, 0}, {0.5, 0.3, 0}}, {{0, 0, 0}, {0, 0, 3}}, {0.1, 0, 0}};
  NewParticles particles = scattered(scene, {0.05, 0.15, 0}, {0.2, 0.3, 0.15});
  particles.velocity.assign(particles.position.size(), {-2, -1, dimension == 3 ? -1.5 : 0});
  Simulation simulation(scene, {.device = device, .threads = 1});
  simulation.add_particles(particles);
  simulation.advance_steps(c.steps);
  return {simulation.snapshot().velocity, simulation.collider_impulses()};
}

TEST_P(GpuDependents, AreThoseOfTheCpu) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  for (const int dimension : {2, 3}) {
    const End cpu = after(GetParam(), dimension, Device::kCpu),
              gpu = after(GetParam(), dimension, Device::kCuda);
    ASSERT_EQ(gpu.velocity.size(), cpu.velocity.size());
    double worst = 0;
    for (std::size_t i = 0; i < cpu.velocity.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(cpu.velocity[i] - gpu.velocity[i])));
    EXPECT_LE(worst, 1e-5) << dimension << "D";  // of some m/s
    for (std::size_t k = 0; k < cpu.impulses.size(); ++k) {
      double size = 0;
      for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_NEAR(gpu.impulses[k].impulse[a], cpu.impulses[k].impulse[a], 1e-7);
        size += std::abs(cpu.impulses[k].impulse[a]);
      }
      EXPECT_GT(size, 1e-4) << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, GpuDependents, testing::ValuesIn(thrown_cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace firn::test
