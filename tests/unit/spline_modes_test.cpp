// The B-spline stencils and the polynomial modes on them: the identities that the transfers'
// conservation rests on, at random offsets and at the ends of a cell. [G201 p15; PolyPIC table 2]
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/transfer/modes.h"
#include "kernels/transfer/spline.h"

namespace firn {
namespace {

template <int DegreeValue, class RealType>
struct Kernel {
  static constexpr int kDegree = DegreeValue;
  using Real = RealType;
};
using Kernels = ::testing::Types<Kernel<1, double>, Kernel<2, double>, Kernel<3, double>,
                                 Kernel<1, float>, Kernel<2, float>, Kernel<3, float>>;

// Offsets in [0, 1] from the first node's support: random ones, both ends, the middle and their
// neighbours.
template <class Real>
std::vector<Real> offsets() {
  std::vector<Real> d{0,
                      1,
                      Real(0.5),
                      std::nextafter(Real(1), Real(0)),
                      std::numeric_limits<Real>::min(),
                      std::nextafter(Real(0.5), Real(1))};
  std::mt19937_64 random(7);
  std::uniform_real_distribution<Real> uniform(0, 1);
  for (int i = 0; i < 1000; ++i) d.push_back(uniform(random));
  return d;
}

template <class K>
class Spline : public ::testing::Test {
 public:
  using Real = typename K::Real;
  static constexpr int kDegree = K::kDegree, kNodes = kDegree + 1;
  using Axis = AxisStencil<kDegree, Real>;
  static Axis at(Real d) {
    Axis axis;
    fill_stencil(axis, d);
    return axis;
  }
  // Sum over the nodes of a product, in double.
  template <class F>
  static double sum(F&& f) {
    double total = 0;
    for (int i = 0; i < kNodes; ++i) total += f(i);
    return total;
  }
  // Each term rounds a handful of times and is at most 4 (z^2 of the cubic stencil).
  static constexpr double kTolerance =
      16 * static_cast<double>(std::numeric_limits<Real>::epsilon());
};
TYPED_TEST_SUITE(Spline, Kernels);

TYPED_TEST(Spline, IsAPartitionOfUnityAndReproducesLinearFields) {
  using T = TestFixture;
  for (auto d : offsets<typename T::Real>()) {
    const auto s = T::at(d);
    EXPECT_NEAR(T::sum([&](int i) { return s.w[i]; }), 1, T::kTolerance) << d;
    EXPECT_NEAR(T::sum([&](int i) { return s.w[i] * s.z[i]; }), 0, T::kTolerance) << d;
    EXPECT_NEAR(T::sum([&](int i) { return s.dw[i]; }), 0, T::kTolerance) << d;
    EXPECT_NEAR(T::sum([&](int i) { return s.dw[i] * s.z[i]; }), 1, T::kTolerance) << d;
    for (int i = 0; i < T::kNodes; ++i) EXPECT_GE(s.w[i], 0) << d;
  }
}

TYPED_TEST(Spline, SecondMomentIsTheOneOfTheKernel) {
  using T = TestFixture;
  for (auto d : offsets<typename T::Real>()) {
    const auto s = T::at(d);
    const double x = d, expected = T::kDegree == 1 ? x * (1 - x) : T::kDegree == 2 ? 0.25 : 1.0 / 3;
    EXPECT_NEAR(T::sum([&](int i) { return s.w[i] * s.z[i] * s.z[i]; }), expected, T::kTolerance)
        << d;
    EXPECT_NEAR(second_moment<T::kDegree>(d), expected, T::kTolerance) << d;
  }
}

TYPED_TEST(Spline, DerivativeIsTheOneOfTheWeights) {
  using T = TestFixture;
  if constexpr (std::is_same_v<typename T::Real, double>) {
    const double h = 1e-5;
    for (double d = 0.01; d < 0.99; d += 0.07) {
      const auto s = T::at(d), ahead = T::at(d + h), behind = T::at(d - h);
      // Third derivatives are at most 3; the difference itself loses epsilon / h.
      for (int i = 0; i < T::kNodes; ++i)
        EXPECT_NEAR((ahead.w[i] - behind.w[i]) / (2 * h), s.dw[i], h * h + 1e-15 / h)
            << d << " " << i;
    }
  }
}

// The functionals read exactly their own mode from the values of the polynomial on the nodes.
TYPED_TEST(Spline, FunctionalsAndModesAreBiorthogonal) {
  using T = TestFixture;
  for (auto d : offsets<typename T::Real>()) {
    const auto s = T::at(d);
    EXPECT_NEAR(T::sum([&](int i) { return s.linear[i]; }), 0, T::kTolerance) << d;
    EXPECT_NEAR(T::sum([&](int i) { return s.linear[i] * s.z[i]; }), 1, T::kTolerance) << d;
    if (T::kDegree == 1) continue;
    EXPECT_NEAR(T::sum([&](int i) { return s.linear[i] * s.g[i]; }), 0, 4 * T::kTolerance) << d;
    EXPECT_NEAR(T::sum([&](int i) { return s.bending[i]; }), 0, 4 * T::kTolerance) << d;
    EXPECT_NEAR(T::sum([&](int i) { return s.bending[i] * s.z[i]; }), 0, 4 * T::kTolerance) << d;
    EXPECT_NEAR(T::sum([&](int i) { return s.bending[i] * s.g[i]; }), 1, 4 * T::kTolerance) << d;
  }
}

TYPED_TEST(Spline, BendingModeIsOrthogonalToTheOthers) {
  using T = TestFixture;
  for (auto d : offsets<typename T::Real>()) {
    const auto s = T::at(d);
    EXPECT_NEAR(T::sum([&](int i) { return s.w[i] * s.g[i]; }), 0, T::kTolerance) << d;
    EXPECT_NEAR(T::sum([&](int i) { return s.w[i] * s.g[i] * s.z[i]; }), 0, T::kTolerance) << d;
  }
}

// [PolyPIC table 2] with dx = 1: (1 - 4 o^2)^2 (3 - 4 o^2) / 16, o the offset from the closest
// node; for the cubic kernel M_4 - M_2^2 (its M_3 vanishes), with M_4 summed from the definition.
TYPED_TEST(Spline, NormOfTheBendingMode) {
  using T = TestFixture;
  for (auto d : offsets<typename T::Real>()) {
    const auto s = T::at(d);
    const double norm =
        T::sum([&](int i) { return double{s.w[i]} * double{s.g[i]} * double{s.g[i]}; });
    if (T::kDegree == 1) {
      EXPECT_EQ(norm, 0);
    }
    if (T::kDegree == 2) {
      const double o = static_cast<double>(d) - 0.5, q = 1 - 4 * o * o;
      EXPECT_NEAR(norm, q * q * (3 - 4 * o * o) / 16, T::kTolerance) << d;
    }
    if (T::kDegree == 3) {
      const double fourth =
          T::sum([&](int i) { return double{s.w[i]} * std::pow(double{s.z[i]}, 4); });
      EXPECT_NEAR(norm, fourth - 1.0 / 9, 4 * T::kTolerance) << d;
      EXPECT_GE(norm, 0.1597) << d;
    }
  }
}

// A particle exactly on a node, or on the border of two cells, sees the same field from either
// side.
TYPED_TEST(Spline, IsContinuousAcrossCells) {
  using T = TestFixture;
  const auto left = T::at(1), right = T::at(0);
  EXPECT_NEAR(left.w[0], 0, T::kTolerance);
  for (int i = 1; i < T::kNodes; ++i) EXPECT_NEAR(left.w[i], right.w[i - 1], T::kTolerance) << i;
}

TEST(AxisBase, StencilHoldsTheParticle) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(-40, 40);
  for (int n = 0; n < 2000; ++n) {
    const double x = n % 4 == 0 ? std::round(2 * uniform(random)) / 2 : uniform(random);
    for (int degree = 1; degree <= 3; ++degree) {
      const auto base = axis_base(x, 1.0, stencil_shift<double>(degree));
      EXPECT_GE(base.offset, 0);
      EXPECT_LE(base.offset, 1);
      // The support of the first node ends, and that of the last begins, within the particle's
      // cell.
      const double half_width = 0.5 * (degree + 1);
      EXPECT_LE(std::abs(x - base.node), half_width);
      EXPECT_LE(std::abs(x - (base.node + degree)), half_width);
    }
  }
}

// --- sets of modes ---

const std::vector<int>& symmetric_sizes(int d) {
  static const std::vector<int> kPlane{1, 3, 4, 6, 8, 9},
      kSpace{1, 4, 8, 11, 14, 17, 18, 20, 23, 26, 27};
  return d == 2 ? kPlane : kSpace;
}

TEST(ModeMask, HoldsExactlyTheSymmetricSets) {
  for (int d : {2, 3})
    for (int n_r = 1; n_r <= int_power(3, d); ++n_r) {
      const auto& sizes = symmetric_sizes(d);
      const bool symmetric = std::find(sizes.begin(), sizes.end(), n_r) != sizes.end();
      EXPECT_EQ(std::popcount(mode_mask(n_r, d)), symmetric ? n_r : 0) << d << " " << n_r;
    }
}

// A set treats the axes alike: exchanging two axes maps it to itself.
TEST(ModeMask, IsInvariantUnderExchangeOfAxes) {
  for (int d : {2, 3})
    for (int n_r : symmetric_sizes(d)) {
      const ModeSet set = mode_set_for(n_r, d);
      const std::uint32_t mask = mode_mask(n_r, d);
      const auto find = [&](int r, int a, int b) {
        for (int other = 0; other < mode_count(set, d); ++other) {
          bool same = true;
          for (int axis = 0; axis < d; ++axis)
            same &= mode_power(set, d, other, axis) == mode_power(set, d, r,
                                                                  axis == a   ? b
                                                                  : axis == b ? a
                                                                              : axis);
          if (same) return other;
        }
        return -1;
      };
      for (int r = 0; r < mode_count(set, d); ++r)
        for (int a = 0; a < d; ++a)
          for (int b = 0; b < a; ++b) {
            const int swapped = find(r, a, b);
            ASSERT_GE(swapped, 0);
            EXPECT_EQ(mask >> r & 1u, mask >> swapped & 1u) << d << " " << n_r << " mode " << r;
          }
    }
}

// The linear modes, which carry angular momentum and the velocity gradient, are in every set but
// the constant one.
TEST(ModeMask, KeepsConstantAndLinearModes) {
  for (int d : {2, 3})
    for (int n_r : symmetric_sizes(d)) {
      const ModeSet set = mode_set_for(n_r, d);
      EXPECT_TRUE(mode_mask(n_r, d) & 1u);
      for (int a = 0; a < d && n_r > 1; ++a) {
        const int r = linear_mode(set, d, a);
        EXPECT_TRUE(mode_mask(n_r, d) >> r & 1u) << d << " " << n_r;
        for (int axis = 0; axis < d; ++axis)
          EXPECT_EQ(mode_power(set, d, r, axis), axis == a ? 1 : 0);
      }
    }
}

// Sizes 14 and 18 are defined apart; all others grow by degree, each containing the smaller
// ones.
TEST(ModeMask, LargerSetsContainSmallerOnes) {
  for (int d : {2, 3}) {
    std::uint32_t smaller = 1;
    for (int n_r : symmetric_sizes(d)) {
      if (mode_set_for(n_r, d) != ModeSet::kFull || n_r == 14 || n_r == 18) continue;
      EXPECT_EQ(smaller & ~mode_mask(n_r, d), 0u) << d << " " << n_r;
      smaller = mode_mask(n_r, d);
    }
  }
  EXPECT_EQ(mode_mask(11, 3) & ~mode_mask(14, 3), 0u);
  EXPECT_EQ(mode_mask(14, 3) & ~mode_mask(18, 3), 0u);
}

}  // namespace
}  // namespace firn
