// Energies near rest, in which terms cancel: against the same in long double.
#include "kernels/materials/log_excess.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/materials/neo_hookean.h"
#include "kernels/materials/viscoelastic.h"

namespace firn {
namespace {

template <class Real>
void expect_excess() {
  for (const Real e : {Real(1e-12), Real(-3e-7), Real(1e-5), Real(-2e-3), Real(0.0625),
                       Real(-0.1249), Real(0.1251), Real(-0.5), Real(3)}) {
    const long double exact = static_cast<long double>(e) - std::log1p(static_cast<long double>(e));
    // Long doubles lose digits themselves where e is small; there three terms of the series do.
    const long double l = e, small = l * l / 2 * (1 - 2 * l / 3 + l * l / 2);
    const auto expected = static_cast<double>(std::abs(e) < Real(1e-6) ? small : exact);
    EXPECT_NEAR(static_cast<double>(log_excess(e)), expected,
                64 * static_cast<double>(kEpsilon<Real>) * expected)
        << e;
  }
  EXPECT_EQ(log_excess(Real(0)), 0);
  EXPECT_TRUE(std::isnan(log_excess(Real(-1.5))));
}
TEST(LogExcess, HasAllDigits) {
  expect_excess<float>();
  expect_excess<double>();
}

template <int D>
void expect_of_strains() {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (const double size : {1e-6, 1e-3, 0.3, 0.5, 0.8})
    for (int trial = 0; trial < 20; ++trial) {
      Mat<double, D> F = Mat<double, D>::identity();
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) F(i, j) += 0.3 * size * normal(random);
      if (determinant(F) <= 0) continue;
      Mat<double, D> B = F * transpose(F);
      for (int i = 0; i < D; ++i) B(i, i) -= 1;
      const Svd<double, D> s = svd(F);
      double sum = 0;
      for (int i = 0; i < D; ++i)
        sum += 0.5 * (s.sigma[i] - 1) * (s.sigma[i] - 1) + log_excess(s.sigma[i] - 1);
      EXPECT_NEAR(log_excess_of(B, log(determinant(F))), sum, 1e-9 * sum + 1e-14 * size) << size;
    }
}
TEST(LogExcess, OfAStrainIsThatOfItsStretches) {
  expect_of_strains<2>();
  expect_of_strains<3>();
}

// What a line search goes by: in single precision a strain of 1e-5 has its energy to a percent, as
// its stretches have their strains; the difference of the terms would be off by a hundred times it.
template <class LawType>
void expect_single(const MaterialParams<float>& params) {
  for (const float e : {1e-5f, -4e-5f, 1e-3f}) {
    const Vec<float, 2> sigma{{1 + e, 1 - 2 * e}};
    const double a = static_cast<double>(sigma[0]) - 1, b = static_cast<double>(sigma[1]) - 1;
    const double quadratic = params.mu * (a * a + b * b) + 0.5 * params.lambda * (a + b) * (a + b);
    const auto stress = LawType::template principal_stress<float, 2>(params, sigma);
    EXPECT_NEAR(stress.psi, quadratic, 0.02 * quadratic) << e;
  }
}
TEST(LogExcess, GivesEnergiesOfSmallStrainsInSinglePrecision) {
  MaterialParams<float> params{};
  params.mu = 1e8f;
  params.lambda = 1.5e8f;
  expect_single<NeoHookean>(params);
  expect_single<Viscoelastic>(params);
}

}  // namespace
}  // namespace firn
