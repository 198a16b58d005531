// What begins within a sticky body stays in its place there, and rides along with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/device.h"
#include "tests/support/fluid_scenes.h"
#include "tests/support/rigid_scenes.h"
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

// Carried and turned by a quarter in half a second.
TEST_P(Clamp, CarriesWhatIsInIt) {
  Scene scene = clamped_rod(GetParam().first, GetParam().second);
  scene.simulation.gravity = {0, 0, 0};
  // See the limits of `thermal`: what turns within a cell and a half of a face shifts.
  if (GetParam().first == Integrator::kThermal)
    scene.colliders[0].shape = box({-0.5, -0.3, 0}, {0, 0.14, 0});
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

// The farthest that a particle of those for which chosen(x at the start) holds has come from where
// the first collider had it, in cells.
template <class F>
double farthest_shift(const Scene& scene, Simulation& simulation, const Snapshot& before,
                      F&& chosen) {
  const Snapshot after = simulation.snapshot();
  const ColliderState at = simulation.colliders()[0];
  const auto n = static_cast<std::size_t>(scene.simulation.dimension);
  if (before.id != after.id) return 1e30;
  double farthest = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const float* x = before.position.data() + n * i;
    if (!chosen(x)) continue;
    double squared = 0;
    for (std::size_t a = 0; a < n; ++a) {
      double there = at.pivot[a] + at.translation[a];
      for (std::size_t b = 0; b < n; ++b)
        there += at.rotation[3 * a + b] * (static_cast<double>(x[b]) - at.pivot[b]);
      squared += std::pow(after.position[n * i + a] - there, 2);
    }
    farthest = std::max(farthest, std::sqrt(squared));
  }
  return farthest / scene.grid.dx;
}
constexpr auto kAll = [](const float*) { return true; };

// All of it five cells deep, in a clamp that makes a turn in a quarter of a second. Along tangents
// it swelled by up to 1.2 cells in that turn.
Scene turning_clamp(Integrator integrator, bool fused) {
  Scene scene = clamped_rod(integrator, fused);
  scene.simulation.gravity = {0, 0, 0};
  scene.colliders[0].shape = box({-0.5, -0.2, 0}, {0.5, 0.2, 0});
  Keyframes motion;
  motion.times = {0, 1};
  motion.translation = {{0, 0, 0}, {0.3, 0.1, 0}};
  motion.rotation = {{0, 0, 0}, {0, 0, 25}};
  motion.pivot = {-0.1, 0.05, 0};
  scene.colliders[0].motion = motion;
  return scene;
}
void expect_tied(const Scene& scene, const RunOptions& options, double until = 0.25) {
  Simulation simulation(scene, options);
  const Snapshot before = simulation.snapshot();
  while (simulation.time() < until) simulation.advance_frame();
  // Faces have the bend of a turn to first order.
  const double shift = scene.simulation.integrator == Integrator::kThermal ? 0.02 : 1e-3;
  EXPECT_LE(farthest_shift(scene, simulation, before, kAll), shift);
  const FrameStats stats = simulation.stats();
  EXPECT_LE(stats.totals.elastic, 1e-6 * stats.totals.kinetic);
  EXPECT_LE(stats.energy.growth, 1e-6);
}
TEST_P(Clamp, TurnsWhatIsInItAsOne) {
  expect_tied(turning_clamp(GetParam().first, GetParam().second), {Device::kCpu, 1});
}
TEST(ClampPositions, BackwardEulerKeepsThemToo) {
  Scene scene = turning_clamp(Integrator::kOptimization, false);
  scene.implicit.positions = ParticlePositions::kBackwardEuler;
  expect_tied(scene, {Device::kCpu, 1});
}
TEST(GpuClamp, TurnsWhatIsInItAsOne) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  const double until = in_software() ? 0.05 : 0.25;  // a fifth of a turn
  for (const bool fused : {false, true})
    expect_tied(turning_clamp(Integrator::kExplicit, fused), {Device::kCuda, 1}, until);
  expect_tied(turning_clamp(Integrator::kThermal, false), {Device::kCuda, 1}, until);
}

// What spins freely holds what is in it too; both together keep their angular momentum.
TEST(ClampBody, TurnsWhatIsInItAsOne) {
  for (const bool fused : {false, true}) {
    Scene scene = turning_clamp(Integrator::kExplicit, fused);
    scene.colliders[0].motion.reset();
    scene.bodies[0].angular_velocity = {0, 0, 20};
    scene.colliders[0] = dynamic(scene.colliders[0], 500, {0, 0, 0}, {0, 0, 20});
    Simulation simulation = simulate(scene);
    const Snapshot before = simulation.snapshot();
    const auto spin = [&] {
      return simulation.totals().angular_momentum[2] +
             simulation.colliders()[0].angular_momentum[2];
    };
    const double began = spin();
    while (simulation.time() < 0.3) simulation.advance_frame();
    EXPECT_LE(farthest_shift(scene, simulation, before, kAll), 1e-2);
    EXPECT_NEAR(spin(), began, 1e-6 * began);
  }
}

// Shaken, with half of the rod outside. What is a cell deep was put outwards whenever its velocity
// was inwards: with FLIP by 1.3 cells within 1.5 s, with APIC by 0.05, by 0.4 under thermal.
TEST_P(Clamp, KeepsWhatItShakes) {
  for (const TransferType transfer : {TransferType::kApic, TransferType::kFlip}) {
    if (GetParam().first == Integrator::kSemiImplicit ||
        GetParam().first == Integrator::kOptimization)
      continue;
    Scene scene = clamped_rod(GetParam().first, GetParam().second);
    scene.simulation.gravity = {0, 0, 0};
    scene.transfer.type = transfer;
    Keyframes motion;
    for (int i = 0; i <= 80; ++i) {
      motion.times.push_back(0.0125 * i);
      motion.translation.push_back({0, 0.02 * std::sin(10 * std::numbers::pi * 0.0125 * i), 0});
    }
    scene.colliders[0].motion = motion;
    Simulation simulation = simulate(scene);
    const Snapshot before = simulation.snapshot();
    while (simulation.time() < 1) simulation.advance_frame();
    const double mouth = -0.6 * scene.grid.dx;
    EXPECT_LE(
        farthest_shift(scene, simulation, before, [&](const float* x) { return x[0] < mouth; }),
        0.1);
  }
}

INSTANTIATE_TEST_SUITE_P(Integrators, Clamp,
                         testing::Values(std::pair{Integrator::kExplicit, false},
                                         std::pair{Integrator::kExplicit, true},
                                         std::pair{Integrator::kOptimization, false},
                                         std::pair{Integrator::kSemiImplicit, false},
                                         std::pair{Integrator::kThermal, false}));

}  // namespace
}  // namespace firn::test
