// The sum of a position and what a step adds, over so many steps that rounding to the nearest would
// decide where a particle ends.
#include "kernels/transfer/position_sum.h"

#include <gtest/gtest.h>

#include <cmath>

namespace firn {
namespace {

constexpr int kSteps = 1'000'000;

double digit_of(float x) { return static_cast<double>(last_place(x)); }

TEST(PositionSum, FollowsAConstantVelocityWithinFiveDigits) {
  for (const float begin : {5.0f, -5.0f, 1.0f, 0.999999f, -1.0f, 0.3f})
    for (const float by : {1.7e-8f, -1.7e-8f, 3e-10f, 2.3e-7f, 5e-7f}) {
      float x = begin, nearest = begin;
      double worst = 0;
      for (int step = 0; step < kSteps; ++step) {
        x = PositionSum<float>(static_cast<std::uint64_t>(step))(x, by);
        nearest += by;
        const double exact = double{begin} + (step + 1) * double{by};
        worst =
            std::max(worst, std::abs(double{x} - exact) / std::max(digit_of(x), digit_of(begin)));
      }
      EXPECT_LT(worst, 5) << begin << " by " << by;
      // Which sums that are rounded to the nearest do not.
      const double exact = double{begin} + kSteps * double{by};
      EXPECT_GT(std::abs(double{nearest} - exact), 100 * digit_of(begin)) << begin << " by " << by;
    }
}

TEST(PositionSum, LeavesWhatRests) {
  for (const float begin : {0.0f, 1.0f, -2.0f, 0.3f, 1e-40f})
    for (std::uint64_t step = 0; step < 100'000; ++step)
      ASSERT_EQ(PositionSum<float>(step)(begin, 0.0f), begin) << begin << " in step " << step;
}

TEST(PositionSum, MirrorsAndPacksAreTheSame) {
  using P = Pack<float>;
  for (std::uint64_t step = 0; step < 1000; ++step) {
    const PositionSum<float> sum(step);
    const float x = 0.37f + 0.01f * static_cast<float>(step), by = 1.3e-8f;
    const float moved = sum(x, by);
    ASSERT_EQ(sum(-x, -by), -moved);
    ASSERT_EQ(sum(P(x), P(by))[0], moved);
  }
}

TEST(PositionSum, HandsOnWhatIsNoNumber) {
  const PositionSum<float> sum(3);
  EXPECT_TRUE(std::isnan(sum(1.0f, std::numeric_limits<float>::quiet_NaN())));
  EXPECT_TRUE(std::isinf(sum(1.0f, std::numeric_limits<float>::infinity())));
}

TEST(PositionSum, OfDoublesIsTheNearest) {
  for (std::uint64_t step = 0; step < 1000; ++step)
    ASSERT_EQ(PositionSum<double>(step)(5.0, 1e-17), 5.0);
}

}  // namespace
}  // namespace firn
