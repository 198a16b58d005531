// The stiffness that the implicit forces use, which knows only the left stretch, against the law
// itself and its differential by singular values; its symmetry, and what rotations do to it.
#include <gtest/gtest.h>

#include "kernels/materials/corotated_deviatoric.h"
#include "kernels/stress/deviatoric_stiffness.h"
#include "tests/support/random_matrices.h"
#include "tests/support/spaces.h"

namespace firn::test {
namespace {

template <class T>
class DeviatoricStiffness : public testing::Test {};
TYPED_TEST_SUITE(DeviatoricStiffness, Spaces);

constexpr double kMu = 3e4;
constexpr double kLeast = 0.6, kMost = 1.7;  // stretches of the tests
constexpr int kDraws = 200;

template <class Real>
MaterialParams<Real> shear_only() {
  MaterialParams<Real> params{};
  params.model = MaterialModel::kCorotatedDeviatoric;
  params.mu = static_cast<Real>(kMu);
  return params;
}

template <class To, class From, int D>
Mat<To, D> cast(const Mat<From, D>& a) {
  Mat<To, D> b;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) b(i, j) = static_cast<To>(a(i, j));
  return b;
}

// The left stretch of J^(-1/d) F, as the particles' operator has it.
template <class Real, int D>
Mat<Real, D> left_stretch(const Mat<Real, D>& F) {
  const Real scale = CorotatedDeviatoric::unimodular_scale<Real, D>(determinant(F));
  return symmetric_product(F * scale, polar_rotation(F));
}

// K is a sum of some D^2 products of V, V and A, each with a few roundings; the spin divides by
// sums of two stretches, which are at least kLeast / kMost of V.
template <class Real, int D>
double round_off(const Mat<double, D>& V, const Mat<double, D>& A) {
  return 10 * D * D * static_cast<double>(kEpsilon<Real>) * (kMost / kLeast) * size(V) * size(V) *
         size(A);
}

TYPED_TEST(DeviatoricStiffness, IsTheDifferentialOfTheStress) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  RandomMatrices<D> random(3);
  for (int k = 0; k < kDraws; ++k) {
    const auto F = random.deformation(kLeast, kMost), A = random.matrix();
    const auto V = left_stretch(cast<Real>(F));
    const auto K = cast<double>(deviatoric_differential(V, cast<Real>(A)));
    const auto dP = CorotatedDeviatoric::first_piola_differential(shear_only<double>(), F, A * F);
    const auto exact = (dP * transpose(F)) * (1 / (2 * kMu));
    EXPECT_LE(size(K - exact), (round_off<Real, D>(cast<double>(V), A))) << "draw " << k;
  }
}

TYPED_TEST(DeviatoricStiffness, TheStressIsThatOfTheLaw) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  RandomMatrices<D> random(4);
  for (int k = 0; k < kDraws; ++k) {
    const auto F = random.deformation(kLeast, kMost);
    const auto V = left_stretch(cast<Real>(F));
    const auto exact = CorotatedDeviatoric::respond(shear_only<double>(), F).tau * (1 / (2 * kMu));
    const auto unit = Mat<double, D>::identity();
    EXPECT_LE(size(cast<double>(shear_stress(V)) - exact),
              (round_off<Real, D>(cast<double>(V), unit)))
        << "draw " << k;
  }
}

// The second derivative of the energy along (I + t A) F.
TEST(DeviatoricStiffnessAlone, IsTheSecondDifferenceOfTheEnergy) {
  const auto expect = [](auto random) {
    const auto params = shear_only<double>();
    for (int k = 0; k < kDraws; ++k) {
      const auto F = random.deformation(kLeast, kMost);
      auto A = random.matrix();
      A *= 1 / size(A);
      const auto along = [&](double t) { return F + t * (A * F); };
      const auto P =
          derivative([&](double t) { return CorotatedDeviatoric::first_piola(params, along(t)); });
      const auto V = left_stretch(F);
      const double scale = size(V) * size(V);
      EXPECT_LE(size(deviatoric_differential(V, A) - (P * transpose(F)) * (1 / (2 * kMu))),
                1e-8 * scale);
      const double dpsi = derivative(
          [&](double t) { return CorotatedDeviatoric::elastic_energy(params, along(t)); });
      EXPECT_NEAR(contract(A, shear_stress(V)), dpsi / (2 * kMu), 1e-8 * scale);
    }
  };
  expect(RandomMatrices<2>(5));
  expect(RandomMatrices<3>(6));
}

TYPED_TEST(DeviatoricStiffness, IsSymmetricAsAForm) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  RandomMatrices<D> random(7);
  for (int k = 0; k < kDraws; ++k) {
    const auto V = left_stretch(cast<Real>(random.deformation(kLeast, kMost)));
    const auto A = random.matrix(), B = random.matrix();
    const auto a = cast<Real>(A), b = cast<Real>(B);
    const double ab = static_cast<double>(contract(b, deviatoric_differential(V, a))),
                 ba = static_cast<double>(contract(a, deviatoric_differential(V, b)));
    EXPECT_NEAR(ab, ba, (2 * size(B) * round_off<Real, D>(cast<double>(V), A))) << "draw " << k;
  }
}

// P(Q F) = Q P(F): a rotation at the rate W only turns the stress, K(W) = W tau / (2 mu), and does
// no work to first order, tau : W = 0. The pressure's part of A has no effect but to move the
// stress with the material: K(I) = -tau / (2 mu).
TYPED_TEST(DeviatoricStiffness, RotationsTurnTheStressAndVolumeDoesNotMatter) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  RandomMatrices<D> random(8);
  for (int k = 0; k < kDraws; ++k) {
    const auto V = left_stretch(cast<Real>(random.deformation(kLeast, kMost)));
    const auto M = random.matrix();
    const auto W = M - transpose(M), unit = Mat<double, D>::identity();
    const auto stretch = cast<double>(V);
    const auto stress = shear_stress(V);
    const auto turned = deviatoric_differential(V, cast<Real>(W));
    EXPECT_LE(size(cast<double>(turned - cast<Real>(W) * stress)),
              (round_off<Real, D>(stretch, W)));
    EXPECT_LE(std::abs(static_cast<double>(contract(stress, cast<Real>(W)))),
              (size(W) * round_off<Real, D>(stretch, unit)));
    const auto swollen = deviatoric_differential(V, cast<Real>(unit));
    EXPECT_LE(size(cast<double>(swollen + stress)), (round_off<Real, D>(stretch, unit)));
  }
}

// At rest: the strain without its trace, whatever the rotation.
TYPED_TEST(DeviatoricStiffness, AtRestItIsTheStrainDeviator) {
  constexpr int D = TypeParam::D;
  using Real = typename TypeParam::Real;
  RandomMatrices<D> random(9);
  for (int k = 0; k < kDraws; ++k) {
    const auto A = random.matrix();
    const auto V = left_stretch(cast<Real>(random.rotation() * 1.3));
    const auto K = cast<double>(deviatoric_differential(V, cast<Real>(A)));
    EXPECT_LE(size(K - without_trace(symmetric_part(A))),
              (round_off<Real, D>(Mat<double, D>::identity(), A)));
  }
}

}  // namespace
}  // namespace firn::test
