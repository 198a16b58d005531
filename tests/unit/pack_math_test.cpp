// The vector exponential and logarithm of float packs against the double-precision library, in
// units in the last place, with their special values; and the lane-wise selections on which all
// branch-light physics rests.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/math/generic_scalar.h"

namespace firn {
namespace {

using P = Pack<float>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

double ulp(double exact) {
  const float magnitude =
      std::max(std::abs(static_cast<float>(exact)), std::numeric_limits<float>::min());
  return static_cast<double>(std::nextafter(magnitude, kInfinity)) - static_cast<double>(magnitude);
}

// Largest error of `packed` against `exact` over x from `lo` to `hi`, every `stride`-th float.
template <class Packed, class Exact>
double worst_ulps(float lo, float hi, std::uint32_t stride, const Packed& packed,
                  const Exact& exact) {
  double worst = 0;
  std::uint32_t bits, last;
  std::memcpy(&bits, &lo, sizeof bits);
  std::memcpy(&last, &hi, sizeof last);
  for (; bits <= last; bits += static_cast<std::uint32_t>(stride * P::size())) {
    float x[P::size()];
    for (std::uint32_t l = 0; l < P::size(); ++l) {
      const std::uint32_t b = std::min(bits + l * stride, last);
      std::memcpy(&x[l], &b, sizeof b);
    }
    const P y = packed(P(x, stdx::element_aligned));
    for (std::size_t l = 0; l < P::size(); ++l) {
      const double expected = exact(static_cast<double>(x[l]));
      worst = std::max(worst, std::abs(static_cast<double>(y[l]) - expected) / ulp(expected));
    }
  }
  testing::Test::RecordProperty("worst_ulps", std::to_string(worst));
  return worst;
}

// Both are a sum of one exact large term and a correction of a few roundings: half a unit for the
// last addition, one for the rest.
constexpr double kUlps = 1.5;

TEST(PackMath, LogIsWithinItsUlpsOverTheNormalNumbers) {
  const auto log_of = [](const P& x) { return log(x); };
  const auto exact = [](double x) { return std::log(x); };
  EXPECT_LE(worst_ulps(std::numeric_limits<float>::min(), std::numeric_limits<float>::max(), 997,
                       log_of, exact),
            kUlps);
  EXPECT_LE(worst_ulps(0.5f, 2.0f, 5, log_of, exact), kUlps);
}

TEST(PackMath, ExpIsWithinItsUlps) {
  const auto exp_of = [](const P& x) { return exp(x); };
  const auto exp_minus = [](const P& x) { return exp(-x); };
  EXPECT_LE(worst_ulps(1e-30f, 88.72283f, 499, exp_of, [](double x) { return std::exp(x); }),
            kUlps);
  EXPECT_LE(worst_ulps(1e-30f, 87.33654f, 499, exp_minus, [](double x) { return std::exp(-x); }),
            kUlps);
}

// Near zero the rounding of the rest is one of the result.
TEST(PackMath, NearZeroExpAndLogKeepTheirDigits) {
  const auto exact_exp = [](double x) { return std::expm1(x); };
  const auto exact_log = [](double x) { return std::log1p(x); };
  const auto exp_of = [](const P& x) { return expm1(x); };
  const auto log_of = [](const P& x) { return log1p(x); };
  EXPECT_LE(worst_ulps(1e-30f, 87.9f, 499, exp_of, exact_exp), 2);
  EXPECT_LE(worst_ulps(-1e-30f, -90.0f, 499, exp_of, exact_exp), 2);
  EXPECT_LE(worst_ulps(1e-30f, 1e30f, 499, log_of, exact_log), 2);
  EXPECT_LE(worst_ulps(-1e-30f, -0.9999999f, 499, log_of, exact_log), 2);
}

TEST(PackMath, SpecialValues) {
  EXPECT_EQ(log(P(1.0f))[0], 0.0f);
  EXPECT_EQ(log(P(0.0f))[0], -kInfinity);
  EXPECT_EQ(log(P(kInfinity))[0], kInfinity);
  EXPECT_TRUE(std::isnan(log(P(-1.0f))[0]));
  EXPECT_TRUE(std::isnan(log(P(-kInfinity))[0]));
  EXPECT_TRUE(std::isnan(log(P(kNan))[0]));
  EXPECT_EQ(exp(P(0.0f))[0], 1.0f);
  EXPECT_EQ(exp(P(kInfinity))[0], kInfinity);
  EXPECT_EQ(exp(P(89.0f))[0], kInfinity);
  EXPECT_EQ(exp(P(-kInfinity))[0], 0.0f);
  EXPECT_EQ(exp(P(-100.0f))[0], 0.0f);
  EXPECT_TRUE(std::isnan(exp(P(kNan))[0]));
  EXPECT_EQ(expm1(P(0.0f))[0], 0.0f);
  EXPECT_EQ(expm1(P(kInfinity))[0], kInfinity);
  EXPECT_EQ(expm1(P(89.0f))[0], kInfinity);
  EXPECT_EQ(expm1(P(-kInfinity))[0], -1.0f);
  EXPECT_TRUE(std::isnan(expm1(P(kNan))[0]));
  EXPECT_EQ(log1p(P(0.0f))[0], 0.0f);
  EXPECT_EQ(log1p(P(-1.0f))[0], -kInfinity);
  EXPECT_EQ(log1p(P(kInfinity))[0], kInfinity);
  EXPECT_TRUE(std::isnan(log1p(P(-1.5f))[0]));
  EXPECT_TRUE(std::isnan(log1p(P(kNan))[0]));
}

template <class Real>
void test_select() {
  using Q = Pack<Real>;
  const Q ramp([](auto i) { return static_cast<Real>(static_cast<int>(i)); });
  for (std::size_t split = 0; split <= Q::size(); ++split) {
    const auto below = ramp < Q(static_cast<Real>(split));
    const Q chosen = select(below, ramp, -ramp);
    EXPECT_EQ(any(below), split > 0);
    EXPECT_EQ(all(below), split == Q::size());
    for (std::size_t l = 0; l < Q::size(); ++l)
      EXPECT_EQ(chosen[l], static_cast<Real>(l) * (l < split ? 1 : -1));
  }
}

TEST(PackMath, SelectTakesEachLaneFromItsSide) {
  test_select<float>();
  test_select<double>();
}

TEST(PackMath, FiniteIsNeitherInfiniteNorNotANumber) {
  EXPECT_TRUE(all(is_finite(P(std::numeric_limits<float>::max()))));
  EXPECT_FALSE(any(is_finite(P(kInfinity))));
  EXPECT_FALSE(any(is_finite(P(kNan))));
}

}  // namespace
}  // namespace firn
