// Strains of a ten-thousandth that come about in steps of a billionth: in single precision they
// must come out as in double, however many steps it takes.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/fluid_scenes.h"

namespace firn::test {
namespace {

// Mean Cauchy stresses of the lower half: along gravity and across, Pa.
struct Stresses {
  double along = 0, across = 0;
};

// A stiff block between slip walls comes to rest under its weight; PIC takes its swing away.
Stresses at_rest(MaterialModel model, Precision precision, int steps) {
  constexpr double kHeight = 0.4, kWidth = 1;
  Scene scene = empty_scene(2, 0.1, precision);
  scene.transfer.type = TransferType::kPic;
  scene.time.dt_max = 1e-4;
  scene.time.cfl_material = 0.2;
  scene.materials = {elastic("rock", model, 1e7, 1000)};
  scene.materials[0].friction_angle = 0.6;
  scene.materials[0].yield_stress = 1e6;
  scene.materials[0].preconsolidation = 1e6;
  scene.materials[0].hardening = 10;
  scene.materials[0].consistency = 100;
  scene.materials[0].flow_index = 0.5;
  scene.grid.domain = closed_box({0, 0, 0}, {kWidth, 1, 0});
  scene.bodies = {lattice("block", box({0, 0, 0}, {kWidth, kHeight, 0}))};
  Simulation simulation = simulate(scene);
  simulation.advance_steps(steps);
  const Snapshot s = simulation.snapshot();
  Stresses mean;
  int count = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.position[2 * i + 1] > kHeight / 2) continue;
    mean.across += s.kirchhoff_stress[4 * i];
    mean.along += s.kirchhoff_stress[4 * i + 3];
    ++count;
  }
  return {mean.along / count, mean.across / count};
}

class SmallStrain : public testing::TestWithParam<MaterialModel> {};

TEST_P(SmallStrain, OfABlockAtRestIsThatOfDoublePrecision) {
  constexpr int kSteps = 10'000;
  const Stresses single = at_rest(GetParam(), Precision::kSingle, kSteps),
                 exact = at_rest(GetParam(), Precision::kDouble, kSteps);
  // Three quarters of the weight; the block is four cells high.
  EXPECT_NEAR(exact.along, -0.75 * 0.4 * 9810, 0.1 * 0.75 * 0.4 * 9810);
  EXPECT_NEAR(single.along, exact.along, 0.01 * std::abs(exact.along));
  EXPECT_NEAR(single.across, exact.across, 0.01 * std::abs(exact.across));
}

INSTANTIATE_TEST_SUITE_P(Laws, SmallStrain,
                         testing::Values(MaterialModel::kFixedCorotated, MaterialModel::kNeoHookean,
                                         MaterialModel::kStvkHencky, MaterialModel::kVonMises,
                                         MaterialModel::kDruckerPrager, MaterialModel::kCamClay,
                                         MaterialModel::kHerschelBulkley),
                         [](const auto& info) {
                           return std::to_string(static_cast<int>(info.param));
                         });

}  // namespace
}  // namespace firn::test
