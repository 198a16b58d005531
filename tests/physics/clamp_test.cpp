// What begins within a sticky body stays in its place there, and rides along with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/device.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

// A rod, its left end 0.4 m deep in the clamp, whose faces along it are a cell away.
Scene clamped_rod(Integrator integrator, bool fused) {
  Scene scene = empty_scene(2, 0.02, Precision::kDouble);
  scene.simulation.integrator = integrator;
  scene.simulation.fused = fused;
  scene.materials = {elastic("jelly")};
  if (integrator == Integrator::kThermal) {
    scene.thermal.heat = false;
    scene.transfer.force = ForceForm::kGradient;
    scene.materials[0].model = MaterialModel::kCorotatedDeviatoric;
  }
  scene.bodies = {body("rod", 0, box({-0.4, -0.1, 0}, {0.4, 0.1, 0}))};
  scene.bodies[0].sampling = Sampling::kUniform;
  scene.colliders = {collider("clamp", box({-0.5, -0.3, 0}, {0, 0.12, 0}), BoundaryType::kSticky)};
  return scene;
}

class Clamp : public testing::TestWithParam<std::pair<Integrator, bool>> {};

// Particles were put onto its faces, by up to 0.33 m in the first step.
void expect_held(Scene scene, const RunOptions& options) {
  scene.simulation.gravity = {0, 0, 0};
  Simulation simulation(scene, options);
  const Snapshot before = simulation.snapshot();
  simulation.advance_frame();
  simulation.advance_frame();
  const Snapshot after = simulation.snapshot();
  ASSERT_EQ(before.id, after.id);
  double farthest = 0;
  for (std::size_t i = 0; i < before.position.size(); ++i)
    farthest =
        std::max(farthest, std::abs(static_cast<double>(after.position[i]) - before.position[i]));
  EXPECT_LE(farthest, 1e-6);
}

TEST_P(Clamp, HoldsWhatIsInIt) {
  expect_held(clamped_rod(GetParam().first, GetParam().second), {Device::kCpu, 1});
}
TEST(GpuClamp, HoldsWhatIsInIt) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  for (const bool fused : {false, true})
    expect_held(clamped_rod(Integrator::kExplicit, fused), {Device::kCuda, 1});
}

// Carried and turned by a quarter in half a second; relative to the clamp it drifts outwards by
// what straight steps along a circle do.
TEST_P(Clamp, CarriesWhatIsInIt) {
  Scene scene = clamped_rod(GetParam().first, GetParam().second);
  scene.simulation.gravity = {0, 0, 0};
  Keyframes motion;
  motion.times = {0, 0.5};
  motion.translation = {{0, 0, 0}, {0.3, 0.1, 0}};
  motion.rotation = {{0, 0, 0}, {0, 0, 1.5}};
  motion.pivot = {-0.25, 0, 0};
  scene.colliders[0].motion = motion;
  Simulation simulation = simulate(scene);
  const Snapshot before = simulation.snapshot();
  while (simulation.time() < 0.5) simulation.advance_frame();
  const Snapshot after = simulation.snapshot();
  ASSERT_EQ(before.id, after.id);
  const double share = std::min(simulation.time() / 0.5, 1.0), angle = 1.5 * share;
  double farthest = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double x = before.position[2 * i] + 0.25, y = before.position[2 * i + 1];
    if (x > 0.15) continue;  // five cells from where the rod comes out
    const double at[] = {std::cos(angle) * x - std::sin(angle) * y - 0.25 + 0.3 * share,
                         std::sin(angle) * x + std::cos(angle) * y + 0.1 * share};
    for (std::size_t a = 0; a < 2; ++a)
      farthest = std::max(farthest, std::abs(after.position[2 * i + a] - at[a]));
  }
  EXPECT_LE(farthest, 0.25 * scene.grid.dx);
}

INSTANTIATE_TEST_SUITE_P(Integrators, Clamp,
                         testing::Values(std::pair{Integrator::kExplicit, false},
                                         std::pair{Integrator::kExplicit, true},
                                         std::pair{Integrator::kOptimization, false},
                                         std::pair{Integrator::kSemiImplicit, false},
                                         std::pair{Integrator::kThermal, false}));

}  // namespace
}  // namespace firn::test
