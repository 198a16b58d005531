// The arithmetic that benchmarks measure a device by gives what it should: nothing else would tell
// whether the compiler has left some of it out.
#include <gtest/gtest.h>

#include <limits>

#include "kernels/exec/buffer.h"
#include "kernels/exec/multiply_add.h"
#include "tests/support/device.h"

namespace firn::test {
namespace {

// Every chain c <- 15/16 c + 1/16 tends to 1, and stays within 16 roundings of it.
template <class Real, class Exec>
void expect_ones(Exec& exec) {
  constexpr std::uint32_t kGroups = 2;
  Buffer<Exec, Real> sums(exec, std::size_t{kGroups} * kMultiplyAddChunks * kLanes);
  sums.zero();
  multiply_add(exec, kGroups, sums.data());
  const double epsilon = std::numeric_limits<Real>::epsilon();
  for (const Real sum : sums.download())
    ASSERT_NEAR(sum, kMultiplyAddChains, kMultiplyAddChains * (16 + kMultiplyAddChains) * epsilon);
}

TEST(MultiplyAdd, ChainsEndAtOne) {
  Cpu exec(2);
  expect_ones<float>(exec);
  expect_ones<double>(exec);
}

#if defined(FIRN_WITH_CUDA)
TEST(GpuMultiplyAdd, ChainsEndAtOne) {
  if (const auto why = no_device(); !why.empty()) GTEST_SKIP() << why;
  Cuda exec;
  expect_ones<float>(exec);
  expect_ones<double>(exec);
}
#endif

}  // namespace
}  // namespace firn::test
