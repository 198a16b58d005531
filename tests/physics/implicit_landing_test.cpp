// Stiff blocks that land within long implicit steps: contacts open and close, waves cross the block
// hundreds of times in a step, and no energy may come of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/support/sim_scenes.h"

namespace firn::test {
namespace {

constexpr double kFall = 0.2, kGravity = 9.81;

// As scene files have it: random particles, steps of up to a frame.
Scene landing(double stiffness, std::uint64_t seed, Precision precision) {
  Scene scene = empty_scene(2, 0.02, precision);
  scene.simulation.integrator = Integrator::kOptimization;
  scene.simulation.gravity = {0, -kGravity, 0};
  scene.simulation.fps = 24;
  scene.simulation.seed = seed;
  scene.time.dt_max = 1 / scene.simulation.fps;
  scene.materials = {elastic("steel", MaterialModel::kNeoHookean, stiffness, 7850)};
  scene.bodies = {body("block", 0, box({0.3, 0.1 + kFall, 0}, {0.6, 0.4 + kFall, 0}))};
  scene.colliders = {collider("floor", ground(0.1), BoundaryType::kSeparate)};
  return scene;
}

class ImplicitLanding : public testing::TestWithParam<Precision> {};

TEST_P(ImplicitLanding, MakesNoEnergyHoweverStiffTheBlockIs) {
  for (const double stiffness : {1e7, 1e9, 1e10, 2.1e11})
    for (const std::uint64_t seed : {1, 2, 3}) {
      Simulation simulation = simulate(landing(stiffness, seed, GetParam()));
      const double fallen = simulation.totals().mass * kGravity * kFall;
      double lowest = std::numeric_limits<double>::infinity();
      for (int frame = 0; frame < 12; ++frame) {
        simulation.advance_frame();
        const Totals now = simulation.totals();
        const double energy = now.kinetic + now.elastic + now.potential;
        lowest = std::min(lowest, energy);
        EXPECT_LE(energy - lowest, 0.01 * fallen)
            << stiffness << " Pa, seed " << seed << ", frame " << frame;
      }
      EXPECT_LT(lowest, simulation.totals().potential + 0.2 * fallen) << "it has not landed";
    }
}

INSTANTIATE_TEST_SUITE_P(Precisions, ImplicitLanding,
                         testing::Values(Precision::kSingle, Precision::kDouble),
                         [](const auto& info) {
                           return info.param == Precision::kSingle ? "single" : "double";
                         });

}  // namespace
}  // namespace firn::test
