// Laws in principal axes, and the stiffness that solvers make of them: against the laws themselves,
// against finite differences, semidefinite, and the same in packs.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/implicit/stiffness.h"
#include "kernels/math/generic_scalar.h"
#include "tests/support/law_cases.h"

namespace firn {
namespace {

using namespace test;

template <int D>
PrincipalStiffness<double, D> stiffness_of(const PrincipalStress<double, D>& law) {
  return PrincipalStiffness<double, D>::of(law);
}

// U K(U^T dF V) V^T.
template <int D>
Mat<double, D> apply(const Svd<double, D>& s, const PrincipalStiffness<double, D>& k,
                     const Mat<double, D>& dF) {
  return s.U * k.apply(transpose(s.U) * dF * s.V) * transpose(s.V);
}

TEST(PrincipalStiffness, IsTheLaws) {
  for_every_material([](const MaterialParams<double>& params, auto& random) {
    for (int k = 0; k < 40; ++k) {
      const auto F = random.deformation(0.7, 1.4);
      auto dF = random.matrix();
      dF *= 1 / size(dF);
      const auto state = state_at(params, F);
      const auto s = svd(F);
      const auto law = principal_stress(params, state, s.sigma);
      const double scale = 10 * kModulus;
      EXPECT_NEAR(law.psi, elastic_energy(params, state), 1e-12 * scale);
      EXPECT_LE(size(compose(s.U, law.P, s.V) - first_piola(params, state)), 1e-12 * scale);
      EXPECT_LE(size(apply(s, stiffness_of(law), dF) - first_piola_differential(params, state, dF)),
                1e-9 * scale);
    }
  });
}

TEST(PrincipalStiffness, IsTheLawsBeyondInversionWhereTheyAreDefined) {
  RandomMatrices<3> random(16);
  for (const NamedMaterial& m : all_materials()) {
    if (forbids_inversion(m.material.model)) continue;
    SCOPED_TRACE(m.name);
    const auto params = make_material_params<double>(m.material, 3);
    for (int k = 0; k < 30; ++k) {
      const auto F = random.stretched({{1.2, 0.9, random.uniform(-0.5, -0.2)}});
      const auto dF = random.matrix();
      const auto state = state_at(params, F);
      const auto s = svd(F);
      const auto law = principal_stress(params, state, s.sigma);
      EXPECT_NEAR(law.psi, elastic_energy(params, state), 1e-11 * kModulus);
      EXPECT_LE(size(apply(s, stiffness_of(law), dF) - first_piola_differential(params, state, dF)),
                1e-8 * kModulus * size(dF));
    }
  }
}

// Where all eigenvalues are positive nothing changes; elsewhere dF : K dF is never negative, and
// never less than before.
TEST(PrincipalStiffness, SemidefiniteOnesAreTheNearest) {
  for_every_material([](const MaterialParams<double>& params, auto& random) {
    int changed = 0;
    for (int k = 0; k < 200; ++k) {
      const auto F = random.deformation(0.5, 1.8);
      const auto s = svd(F);
      const auto exact = stiffness_of(principal_stress(params, state_at(params, F), s.sigma));
      auto made = exact;
      make_semidefinite(made);
      for (int i = 0; i < 10; ++i) {
        const auto dF = random.matrix();
        const double before = contract(dF, apply(s, exact, dF)),
                     after = contract(dF, apply(s, made, dF));
        const double scale = contract(dF, dF) * kModulus * 1e3;
        EXPECT_GE(after, -1e-12 * scale);
        EXPECT_GE(after, before - 1e-12 * scale);
        if (before < 0) ++changed;
      }
    }
    if (params.model != MaterialModel::kWeaklyCompressible || params.gamma == 1) return;
    EXPECT_GT(changed, 0);  // a compressed fluid lets shears through
  });
}

// Along random directions the block of a node is what a velocity of that node alone changes.
TEST(PrincipalStiffness, BlockOfANode) {
  for_every_material([](const MaterialParams<double>& params, auto& random) {
    constexpr int D = sizeof(random.matrix()) == sizeof(Mat<double, 2>) ? 2 : 3;
    const auto F = random.deformation(0.7, 1.4);
    const auto s = svd(F);
    const auto k = stiffness_of(principal_stress(params, state_at(params, F), s.sigma));
    const Vec<double, D> slope = random.unit_vector(), v = random.unit_vector();
    // dF = v slope^T F; the force is P F^T slope
    const auto dP = apply(s, k, outer(v, transpose(F) * slope));
    const Vec<double, D> expected = dP * (transpose(F) * slope);
    const Vec<double, D> t = transpose(F * s.V) * slope;
    const Vec<double, D> block = (s.U * k.at_node(t) * transpose(s.U)) * v;
    EXPECT_LE(norm(block - expected), 1e-10 * kModulus * 10);
  });
}

TEST(PrincipalStiffness, PacksAreScalars) {
  using Pack = firn::Pack<float>;
  for_every_material([](const MaterialParams<double>& exact, auto& random) {
    constexpr int D = sizeof(random.matrix()) == sizeof(Mat<double, 2>) ? 2 : 3;
    MaterialParams<float> params{};
    params.model = exact.model;
    params.mu = static_cast<float>(exact.mu), params.lambda = static_cast<float>(exact.lambda);
    params.hardening = static_cast<float>(exact.hardening);
    params.bulk_modulus = static_cast<float>(exact.bulk_modulus);
    params.gamma = static_cast<float>(exact.gamma);
    const auto F = random.deformation(0.8, 1.3);
    const auto s = svd(F);
    MaterialState<float, D> single{};
    MaterialState<Pack, D> packed{};
    Vec<float, D> sigma;
    Vec<Pack, D> sigmas;
    for (int i = 0; i < D; ++i) sigmas[i] = Pack(sigma[i] = static_cast<float>(s.sigma[i]));
    for (auto& h : single.history) h = 0.97f;
    for (auto& h : packed.history) h = Pack(0.97f);
    auto one = PrincipalStiffness<float, D>::of(principal_stress(params, single, sigma));
    auto many = PrincipalStiffness<Pack, D>::of(principal_stress(params, packed, sigmas));
    make_semidefinite(one);
    make_semidefinite(many);
    const float scale = 2e-5f * static_cast<float>(10 * kModulus);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) EXPECT_NEAR(many.stretch(i, j)[0], one.stretch(i, j), scale);
    for (int p = 0; p < PrincipalStiffness<float, D>::kPairs; ++p) {
      EXPECT_NEAR(many.shear[p][0], one.shear[p], scale);
      EXPECT_NEAR(many.spin[p][0], one.spin[p], scale);
    }
  });
}

// The stress is the slope of the potential and the stiffness that of the stress, also where
// material flows; what has flowed leaves the stress that the law returns to.
TEST(PrincipalStiffness, FlowHasAPotential) {
  for (const NamedMaterial& m : all_materials()) {
    if (!changes_deformation(m.material.model)) continue;
    SCOPED_TRACE(m.name);
    const auto params = make_material_params<double>(m.material, 3);
    RandomMatrices<3> random(23);
    int flowed = 0;
    for (int k = 0; k < 60; ++k) {
      const auto before = random.stretched({{1.004, 0.996, 0.985}});
      const auto state = state_at(params, before);
      const auto F = random.deformation(0.8, 1.25);
      const auto s = svd(F);
      const double scale = 10 * kModulus;
      const auto law = flowing_stress(params, state, s.sigma);
      for (int j = 0; j < 3; ++j) {
        const auto at = [&](double t) {
          auto sigma = s.sigma;
          sigma[j] += t;
          return flowing_stress(params, state, sigma);
        };
        constexpr double h = 1e-6;
        EXPECT_NEAR((at(h).psi - at(-h).psi) / (2 * h), law.P[j], 1e-5 * scale);
        for (int i = 0; i < 3; ++i)
          EXPECT_NEAR((at(h).P[i] - at(-h).P[i]) / (2 * h), law.dP(i, j), 1e-4 * scale);
      }
      auto returned = state;
      returned.F = F;
      respond(params, returned);
      const auto change = returned.F - F;
      // The cone of sand is as wide as it was before.
      if (m.material.model == MaterialModel::kDruckerPrager) {
        flowed += size(change) > 1e-9 ? 1 : 0;
      } else if (size(change) < 1e-9) {
        EXPECT_LE(size(compose(s.U, law.P, s.V) - first_piola(params, returned)), 1e-9 * scale);
      } else {
        ++flowed;
        EXPECT_LE(law.psi, principal_stress(params, state, s.sigma).psi + 1e-9 * scale);
      }
      if (m.material.model == MaterialModel::kVonMises) {  // tau is that of the returned state
        const auto tau = compose(s.U, law.P, s.V) * transpose(F);
        EXPECT_LE(size(tau - first_piola(params, returned) * transpose(returned.F)), 1e-9 * scale);
      }
    }
    EXPECT_GT(flowed, 0);
  }
}

// Where the volume is as it was to begin with, which is where sand opens, nothing jumps, however
// much shear there is.
TEST(PrincipalStiffness, FlowHasNoCliffs) {
  for (const NamedMaterial& m : all_materials()) {
    if (!changes_deformation(m.material.model)) continue;
    SCOPED_TRACE(m.name);
    const auto params = make_material_params<double>(m.material, 3);
    RandomMatrices<3> random(29);
    for (int k = 0; k < 40; ++k) {
      const auto state = state_at(params, random.stretched({{0.99, 0.985, 0.97}}));
      Vec<double, 3> dev{{random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), 0}};
      dev[2] = -dev[0] - dev[1];
      const double tip = m.material.cohesion;
      const auto at = [&](double volume) {
        Vec<double, 3> sigma;
        for (int i = 0; i < 3; ++i) sigma[i] = std::exp(dev[i] + tip + volume / 3);
        return flowing_stress(params, state, sigma);
      };
      constexpr double h = 1e-8;
      const auto closed = at(-h), open = at(h);
      EXPECT_NEAR(open.psi, closed.psi, 1e-6 * kModulus);
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(open.P[i], closed.P[i], 1e-6 * kModulus);
    }
  }
}

TEST(PrincipalStiffness, EigenvaluesOfSymmetricMatrices) {
  RandomMatrices<3> random(3);
  for (int k = 0; k < 100; ++k) {
    const auto Q = random.rotation();
    Vec<double, 3> lambda{{random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)}};
    if (k % 3 == 0) lambda[1] = lambda[0];
    if (k % 7 == 0) lambda[2] = lambda[1] = -lambda[0];
    Mat<double, 3> A = from_principal(Q, lambda), axes;
    Vec<double, 3> found;
    symmetric_eigen(A, axes, found);
    EXPECT_LE(size(from_principal(axes, found) - A), 1e-13);
    EXPECT_LE(size(transpose(axes) * axes - Mat<double, 3>::identity()), 1e-13);
  }
}

}  // namespace
}  // namespace firn
