// The lagged damping of a particle against the stiffness that it is made of.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/implicit/damping.h"
#include "kernels/math/generic_scalar.h"
#include "tests/support/law_cases.h"

namespace firn {
namespace {

using namespace test;

// The stress that the semidefinite stiffness at F answers a velocity gradient with.
template <int D>
struct Elastic {
  Svd<double, D> s;
  Mat<double, D> along;
  PrincipalStiffness<double, D> k;
  Elastic(const MaterialParams<double>& params, const Mat<double, D>& F) : s(svd(F)) {
    along = F * s.V;
    k = PrincipalStiffness<double, D>::of(principal_stress(params, state_at(params, F), s.sigma));
    make_semidefinite(k);
  }
  Mat<double, D> response(const Mat<double, D>& A) const {
    return s.U * k.apply(transpose(s.U) * A * along) * transpose(along);
  }
  DampingTensor<double, D> damping() const {
    return DampingTensor<double, D>::of([&](const Mat<double, D>& A) { return response(A); });
  }
};

TEST(DampingTensor, AnswersTheRateOfStrainAndNoTurning) {
  for_every_material([](const MaterialParams<double>& params, auto& random) {
    constexpr int D = sizeof(random.matrix()) == sizeof(Mat<double, 2>) ? 2 : 3;
    for (int n = 0; n < 20; ++n) {
      const Elastic<D> elastic(params, random.deformation(0.7, 1.4));
      const auto damping = elastic.damping();
      const Mat<double, D> A = random.matrix(), B = random.matrix();
      const Mat<double, D> strain = symmetric_part(A), turning = A - strain;
      const double scale = 100 * kModulus;
      EXPECT_LE(size(damping.response(turning)), 1e-12 * scale);
      EXPECT_LE(size(damping.response(A) - symmetric_part(elastic.response(strain))),
                1e-12 * scale);
      EXPECT_NEAR(contract(A, damping.response(B)), contract(B, damping.response(A)),
                  1e-12 * scale);
      EXPECT_GE(contract(A, damping.response(A)), -1e-12 * scale);
      // A node's own velocity v moves the material with v slope^T.
      const Vec<double, D> slope = random.unit_vector(), v = random.unit_vector();
      EXPECT_LE(norm(damping.at_node(slope) * v - damping.response(outer(v, slope)) * slope),
                1e-12 * scale);
    }
  });
}

// At rest it is Hooke's law.
TEST(DampingTensor, IsHookesLawAtRest) {
  const auto check = [](auto random) {
    constexpr int D = sizeof(random.matrix()) == sizeof(Mat<double, 2>) ? 2 : 3;
    Material material;
    material.model = MaterialModel::kNeoHookean;
    material.youngs_modulus = 3e4;
    material.poisson_ratio = 0.3;
    const auto params = make_material_params<double>(material, D);
    const auto damping = Elastic<D>(params, Mat<double, D>::identity()).damping();
    const Mat<double, D> A = random.matrix(), strain = symmetric_part(A);
    const Mat<double, D> hooke =
        2 * params.mu * strain + Mat<double, D>::scaled_identity(params.lambda * trace(strain));
    EXPECT_LE(size(damping.response(A) - hooke), 1e-10 * size(hooke));
  };
  check(RandomMatrices<2>(4));
  check(RandomMatrices<3>(5));
}

}  // namespace
}  // namespace firn
