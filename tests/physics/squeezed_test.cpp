// Fixed corotated elasticity hardly pushes back what is flat, and a run tells of it.
#include <gtest/gtest.h>

#include "tests/support/hard_landing.h"

namespace firn::test {
namespace {

std::vector<int> squeezed(MaterialModel model, double speed) {
  Simulation simulation(hard_landing(model, speed), {Device::kCpu, 1});
  std::vector<int> found;
  for (int frame = 0; frame < 10; ++frame) {
    simulation.advance_frame();
    const std::vector<int>& now = simulation.stats().squeezed;
    if (!now.empty()) found = now;
  }
  return found;
}

TEST(Squeezed, IsWhatFixedCorotatedLeavesFlat) {
  EXPECT_EQ(squeezed(MaterialModel::kFixedCorotated, 14), std::vector<int>{1});
  EXPECT_EQ(squeezed(MaterialModel::kFixedCorotated, 1), std::vector<int>{});
  EXPECT_EQ(squeezed(MaterialModel::kNeoHookean, 14), std::vector<int>{});
}

}  // namespace
}  // namespace firn::test
