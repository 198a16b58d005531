// Singular value and polar decompositions over matrices of every awkward kind: ill-conditioned,
// singular, inverted, with repeated singular values, tiny and huge. All errors are measured in long
// double against the input itself.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "kernels/math/generic_scalar.h"
#include "kernels/math/polar.h"
#include "kernels/math/svd.h"

namespace firn {
namespace {

using Wide = long double;

template <int D>
using WideMat = Mat<Wide, D>;

template <class Real, int D>
WideMat<D> widen(const Mat<Real, D>& a) {
  WideMat<D> r;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) r(i, j) = a(i, j);
  return r;
}

template <int D>
Wide frobenius(const WideMat<D>& a) {
  return std::sqrt(contract(a, a));
}

template <class Real, int D>
Wide orthogonality_error(const Mat<Real, D>& Q) {
  const WideMat<D> W = widen(Q);
  return frobenius<D>(transpose(W) * W - WideMat<D>::identity());
}

// FIRN_TEST_SCALE multiplies the number of samples, for long runs by hand.
int sample_count(int n) {
  const char* scale = std::getenv("FIRN_TEST_SCALE");
  return scale ? n * std::atoi(scale) : n;
}

// Draws matrices of all kinds: U S V with special S, entries of widely mixed size, and exact
// special cases.
template <class Real, int D>
class MatrixSource {
 public:
  explicit MatrixSource(unsigned seed) : random_(seed) {}

  Mat<Real, D> next() {
    for (;;) {
      const int kind = static_cast<int>(random_() % 8);
      Mat<Real, D> m = kind < 5 ? from_singular_values(kind) : special(kind);
      if (random_() % 8 == 0) {
        constexpr int range = std::numeric_limits<Real>::max_exponent - 12;
        m *= std::ldexp(Real(1), static_cast<int>(random_() % (2 * range)) - range);
      }
      if (in_range(m)) return m;
    }
  }

 private:
  // Zero, or a largest entry that is a normal number and small enough that |F| is finite.
  static bool in_range(const Mat<Real, D>& m) {
    Real largest = 0;
    for (const auto& row : m.m)
      for (Real x : row) {
        if (!is_finite(x)) return false;
        largest = std::max(largest, std::abs(x));
      }
    return largest == 0 || (largest >= std::numeric_limits<Real>::min() &&
                            largest <= std::numeric_limits<Real>::max() / 8);
  }

  Real normal() { return static_cast<Real>(normal_(random_)); }

  Mat<Real, D> gaussian() {
    Mat<Real, D> m;
    for (auto& row : m.m)
      for (Real& x : row) x = normal();
    return m;
  }

  Mat<Real, D> rotation() { return svd(gaussian()).U; }

  Mat<Real, D> from_singular_values(int kind) {
    if (kind == 0) return gaussian();
    Vec<Real, D> s;
    const Real shared = normal();
    for (int i = 0; i < D; ++i) {
      const Real decades = std::pow(Real(10), Real(-12) * std::abs(normal()));
      if (kind == 1) s[i] = 1 + Real(1e-3) * normal();           // near rest
      if (kind == 2) s[i] = decades * (random_() % 2 ? 1 : -1);  // ill-conditioned, maybe inverted
      if (kind == 3) s[i] = random_() % 2 ? shared : -shared;    // repeated
      if (kind == 4) s[i] = random_() % 2 ? Real(0) : normal();  // singular
    }
    return compose(rotation(), s, rotation());
  }

  Mat<Real, D> special(int kind) {
    Mat<Real, D> m;
    for (auto& row : m.m)
      for (Real& x : row) {
        if (kind == 5) x = static_cast<Real>(static_cast<int>(random_() % 3) - 1);  // -1, 0, 1
        if (kind == 6) x = normal() * std::pow(Real(10), 8 * normal());
        if (kind == 7) x = normal();
      }
    if (kind == 7)  // nearly parallel columns
      for (int i = 0; i < D; ++i) m(i, 1) = m(i, 0) * (1 + 3 * kEpsilon<Real> * normal());
    return m;
  }

  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

template <class Real, int D>
void expect_svd(const Mat<Real, D>& F, const Svd<Real, D>& s, Wide& worst) {
  const WideMat<D> W = widen(F);
  Vec<Wide, D> sigma;
  for (int i = 0; i < D; ++i) sigma[i] = s.sigma[i];
  const Wide size = frobenius<D>(W);
  const Wide residual = frobenius<D>(W - compose(widen(s.U), sigma, widen(s.V)));
  const Wide demand = 20 * static_cast<Wide>(kEpsilon<Real>);
  // Below the smallest normal number every multiplication loses digits: allow that much absolutely.
  const Wide floor = 32 * static_cast<Wide>(std::numeric_limits<Real>::denorm_min());
  ASSERT_LE(residual, demand * size + floor);
  ASSERT_LE(orthogonality_error(s.U), demand);
  ASSERT_LE(orthogonality_error(s.V), demand);
  ASSERT_GT(determinant(widen(s.U)), 0);
  ASSERT_GT(determinant(widen(s.V)), 0);
  for (int i = 0; i + 1 < D; ++i) {
    ASSERT_GE(s.sigma[i], 0);
    ASSERT_GE(sigma[i] + demand * size, std::abs(sigma[i + 1]));
  }
  if (size > floor / demand) worst = std::max(worst, residual / size);
  worst = std::max({worst, orthogonality_error(s.U), orthogonality_error(s.V)});
}

template <class Real, int D>
void test_svd(unsigned seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  MatrixSource<Real, D> source(seed);
  Wide worst = 0;
  const int n = sample_count(100'000);
  for (int k = 0; k < n; ++k) {
    const Mat<Real, D> F = source.next();
    expect_svd(F, svd(F), worst);
    if (testing::Test::HasFatalFailure()) return;
  }
  testing::Test::RecordProperty("worst_error_in_epsilons",
                                std::to_string(worst / static_cast<Wide>(kEpsilon<Real>)));
}

TEST(Svd, IsBackwardStableInSingle2d) { test_svd<float, 2>(11); }
TEST(Svd, IsBackwardStableInSingle3d) { test_svd<float, 3>(12); }
TEST(Svd, IsBackwardStableInDouble2d) { test_svd<double, 2>(13); }
TEST(Svd, IsBackwardStableInDouble3d) { test_svd<double, 3>(14); }

TEST(Svd, OfZeroIsTwoRotationsAndZeros) {
  const Svd<float, 3> s = svd(Mat<float, 3>::zero());
  EXPECT_EQ(orthogonality_error(s.U), 0);
  EXPECT_EQ(orthogonality_error(s.V), 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(s.sigma[i], 0);
}

TEST(Svd, PutsTheSignOnTheSmallestSingularValue) {
  const Mat<double, 3> F = Mat<double, 3>::diagonal({{-3, 1, 2}});
  const Svd<double, 3> s = svd(F);
  EXPECT_NEAR(s.sigma[0], 3, 20 * kEpsilon<double> * 3);
  EXPECT_NEAR(s.sigma[1], 2, 20 * kEpsilon<double> * 3);
  EXPECT_NEAR(s.sigma[2], -1, 20 * kEpsilon<double> * 3);
}

TEST(Svd, EndsOnNotANumber) {
  Mat<float, 3> F = Mat<float, 3>::identity();
  F(1, 2) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(is_finite(svd(F).sigma[2]) && is_finite(svd(F).sigma[1]) &&
               is_finite(svd(F).sigma[0]));
}

// The nearest rotation makes R^T F symmetric, with at most one negative eigenvalue, no larger than
// the others.
template <class Real, int D>
void expect_polar(const Mat<Real, D>& F, const Mat<Real, D>& R) {
  const WideMat<D> W = widen(F), S = transpose(widen(R)) * W;
  const Wide demand = 20 * static_cast<Wide>(kEpsilon<Real>);
  ASSERT_LE(orthogonality_error(R), demand);
  ASSERT_GT(determinant(widen(R)), 0);
  ASSERT_LE(
      frobenius<D>(S - transpose(S)),
      demand * frobenius<D>(W) + 32 * static_cast<Wide>(std::numeric_limits<Real>::denorm_min()));
  // tr(R^T F) is the largest over rotations: the sum of the signed singular values.
  const Svd<Real, D> s = svd(F);
  Wide sum = 0;
  for (int i = 0; i < D; ++i) sum += s.sigma[i];
  ASSERT_GE(trace(S), sum - demand * D * frobenius<D>(W));
}

template <class Real, int D>
void test_polar(unsigned seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  MatrixSource<Real, D> source(seed);
  const int n = sample_count(100'000);
  for (int k = 0; k < n; ++k) {
    const Mat<Real, D> F = source.next();
    expect_polar(F, polar_rotation(F));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Polar, IsTheNearestRotationInSingle2d) { test_polar<float, 2>(21); }
TEST(Polar, IsTheNearestRotationInSingle3d) { test_polar<float, 3>(22); }
TEST(Polar, IsTheNearestRotationInDouble2d) { test_polar<double, 2>(23); }
TEST(Polar, IsTheNearestRotationInDouble3d) { test_polar<double, 3>(24); }

TEST(Polar, OfIdentityIsExactlyIdentity) {
  const Mat<float, 3> R = polar_rotation(Mat<float, 3>::identity());
  EXPECT_EQ(orthogonality_error(R), 0);
  EXPECT_EQ(trace(R), 3);
}

// Packs of different matrices in every lane meet the same demands as scalars.
template <class Real>
void test_packs(unsigned seed) {
  using P = Pack<Real>;
  constexpr int lanes = static_cast<int>(P::size());
  MatrixSource<Real, 3> source(seed);
  Wide worst = 0;
  for (int k = 0; k < 5'000; ++k) {
    Mat<Real, 3> F[lanes];
    Mat<P, 3> packed;
    for (int l = 0; l < lanes; ++l) {
      F[l] = source.next();
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) packed(i, j)[l] = F[l](i, j);
    }
    const Svd<P, 3> s = svd(packed);
    const Mat<P, 3> R = polar_rotation(packed);
    for (int l = 0; l < lanes; ++l) {
      Svd<Real, 3> lane;
      Mat<Real, 3> R_lane;
      for (int i = 0; i < 3; ++i) {
        lane.sigma[i] = s.sigma[i][l];
        for (int j = 0; j < 3; ++j) {
          lane.U(i, j) = s.U(i, j)[l];
          lane.V(i, j) = s.V(i, j)[l];
          R_lane(i, j) = R(i, j)[l];
        }
      }
      expect_svd(F[l], lane, worst);
      expect_polar(F[l], R_lane);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(SvdPack, LanesMeetTheDemandsOfScalarsInSingle) { test_packs<float>(31); }
TEST(SvdPack, LanesMeetTheDemandsOfScalarsInDouble) { test_packs<double>(32); }

TEST(InverseExponent, ScalesExactlyAndCanBeUndone) {
  for (float x : {1.0f, 1.99f, 3e-38f, 3e38f, -0.75f}) {
    const float scaled = x * inverse_exponent(x);
    EXPECT_GE(std::abs(scaled), 1.0f) << x;
    EXPECT_LT(std::abs(scaled), 4.0f) << x;
    EXPECT_EQ(scaled * (1 / inverse_exponent(x)), x);
  }
  EXPECT_TRUE(is_finite(1 / inverse_exponent(0.0)));
  EXPECT_TRUE(is_finite(inverse_exponent(0.0)));
}

}  // namespace
}  // namespace firn
