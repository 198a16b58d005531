// What moves by less than the last digit of its coordinates in a step moves in single precision as
// in double, whatever integrator takes the step.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

constexpr int kSteps = 2000;
constexpr double kStep = 1e-5, kAt = 5;
const Vec3 kVelocity{2e-3, -1e-3, 0};  // 1/24 and 1/48 of the last digit of 5 m in a step

Scene slow(Integrator integrator) {
  const bool liquid = integrator == Integrator::kIncompressible;
  Scene scene =
      liquid ? liquid_scene(2, 0.1, Precision::kSingle) : empty_scene(2, 0.1, Precision::kSingle);
  scene.simulation.integrator = integrator;
  scene.time.dt_max = kStep;
  scene.simulation.fps = 1 / (kStep * kSteps);
  scene.simulation.gravity = {};
  scene.fluid.density_correction = false;  // which moves particles by itself
  if (!liquid) scene.materials = {elastic("rubber", MaterialModel::kFixedCorotated, 1e5, 1000)};
  scene.bodies = {lattice("block", box({kAt, kAt, 0}, {kAt + 0.4, kAt + 0.4, 0}), kVelocity)};
  return scene;
}

class SlowMotion : public testing::TestWithParam<Integrator> {};

TEST_P(SlowMotion, GoesAsFarAsItShould) {
  Simulation simulation = simulate(slow(GetParam()));
  const Snapshot before = simulation.snapshot();
  simulation.advance_steps(kSteps);
  ASSERT_NEAR(simulation.time(), kStep * kSteps, 0.01 * kStep);
  const Snapshot after = simulation.snapshot();
  constexpr double kDigit = 4.77e-7;
  for (std::size_t i = 0; i < before.position.size(); ++i) {
    const double gone = double{after.position[i]} - double{before.position[i]};
    ASSERT_NEAR(gone, kVelocity[i % 2] * kStep * kSteps, 5 * kDigit) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, SlowMotion,
                         testing::Values(Integrator::kExplicit, Integrator::kIncompressible,
                                         Integrator::kOptimization),
                         [](const auto& test) {
                           return test.param == Integrator::kExplicit         ? "Explicit"
                                  : test.param == Integrator::kIncompressible ? "Incompressible"
                                                                              : "Optimization";
                         });

}  // namespace
}  // namespace firn::test
