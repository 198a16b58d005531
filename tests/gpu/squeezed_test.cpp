// What is squeezed flat is seen on CUDA, too.
#include <gtest/gtest.h>

#include "tests/support/device.h"
#include "tests/support/hard_landing.h"

namespace firn::test {
namespace {

TEST(GpuSqueezed, IsSeen) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  Simulation simulation(hard_landing(MaterialModel::kFixedCorotated, 14), {Device::kCuda, 1});
  std::vector<int> found;
  for (int frame = 0; frame < 10 && found.empty(); ++frame) {
    simulation.advance_frame();
    found = simulation.stats().squeezed;
  }
  EXPECT_EQ(found, std::vector<int>{1});
}

}  // namespace
}  // namespace firn::test
