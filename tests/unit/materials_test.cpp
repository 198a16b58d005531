// Every constitutive law against finite differences, rotations, its rest state and the waves it
// carries, in double precision and both dimensions; packs against scalars; plastic flow against its
// yield surface.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/materials/material.h"
#include "tests/support/law_cases.h"

namespace firn {
namespace {

using namespace test;  // laws and random deformations

template <int D>
double energy_at(const MaterialParams<double>& params, const Mat<double, D>& F) {
  return elastic_energy(params, state_at(params, F));
}

template <int D>
Mat<double, D> stress_at(const MaterialParams<double>& params, const Mat<double, D>& F) {
  return first_piola(params, state_at(params, F));
}

constexpr double kDifferenceTolerance = 1e-8;

template <int D>
void expect_derivatives(const MaterialParams<double>& params, const Mat<double, D>& F,
                        const Mat<double, D>& dF) {
  // The differences see fifth derivatives, which grow like the stiffness over powers of the
  // smallest stretch.
  const double scale = kModulus * 10;
  const double dpsi = derivative([&](double t) { return energy_at<D>(params, F + t * dF); });
  EXPECT_NEAR(contract(stress_at(params, F), dF), dpsi, kDifferenceTolerance * scale);
  const Mat<double, D> dP = first_piola_differential(params, state_at(params, F), dF);
  const Mat<double, D> difference =
      derivative([&](double t) { return stress_at<D>(params, F + t * dF); });
  EXPECT_LE(size<D>(dP - difference), kDifferenceTolerance * scale);
}

TEST(Materials, StressAndItsDifferentialMatchFiniteDifferences) {
  for_every_material([](const MaterialParams<double>& params, auto& random) {
    for (int k = 0; k < 60; ++k) {
      const auto dF = random.matrix();
      expect_derivatives(params, random.deformation(0.7, 1.4), dF * (1 / size(dF)));
    }
  });
}

TEST(Materials, InvertedStatesMatchFiniteDifferencesWhereAllowed) {
  test::RandomMatrices<2> random2(15);
  test::RandomMatrices<3> random3(16);
  for (const NamedMaterial& m : all_materials()) {
    if (forbids_inversion(m.material.model)) continue;
    SCOPED_TRACE(m.name);
    for (int k = 0; k < 30; ++k) {
      const auto dF2 = random2.matrix();
      const auto dF3 = random3.matrix();
      const double s = random2.uniform(-0.5, -0.2);
      expect_derivatives(make_material_params<double>(m.material, 2), random2.stretched({{1.1, s}}),
                         dF2 * (0.2 / size(dF2)));
      expect_derivatives(make_material_params<double>(m.material, 3),
                         random3.stretched({{1.2, 0.9, s}}), dF3 * (0.2 / size(dF3)));
    }
  }
}

// The difference quotient converges at second order, down to 1e-8 of the modulus.
TEST(Materials, DifferenceQuotientsConvergeAtSecondOrder) {
  for_every_material([](const MaterialParams<double>& params, auto& random) {
    const auto F = random.deformation(0.9, 1.1);
    auto dF = random.matrix();
    dF *= 1 / size(dF);
    const auto dP = first_piola_differential(params, state_at(params, F), dF);
    const auto error = [&](double h) {
      return size((stress_at(params, F + h * dF) - stress_at(params, F - h * dF)) * (0.5 / h) - dP);
    };
    const double coarse = error(2e-2), fine = error(2e-3);
    // A law may be quadratic in F (then the quotient is exact) or nearly so (then the fourth-order
    // term shows).
    if (coarse > 1e-6 * kModulus) {
      EXPECT_NEAR(std::log10(coarse / fine), 2, 0.1);
    }
    EXPECT_LE(error(2e-6), kDifferenceTolerance * kModulus);
  });
}

TEST(Materials, EnergyIsObjectiveAndStressTurnsWithTheBody) {
  for_every_material([](const MaterialParams<double>& params, auto& random) {
    for (int k = 0; k < 20; ++k) {
      const auto F = random.deformation(0.7, 1.4);
      const auto Q = random.rotation();
      auto state = state_at(params, F), turned = state_at(params, Q * F);
      turned.history[0] = state.history[0];
      EXPECT_NEAR(elastic_energy(params, turned), elastic_energy(params, state), 1e-12 * kModulus);
      const auto r = respond(params, state), r_turned = respond(params, turned);
      // Hardened snow is stiffer by up to e^10.
      const double scale = kModulus + size(r.tau);
      EXPECT_NEAR(r_turned.psi, r.psi, 1e-12 * scale);
      EXPECT_LE(size(r_turned.tau - Q * r.tau * transpose(Q)), 1e-11 * scale);
    }
  });
}

TEST(Materials, UndeformedMaterialIsFreeOfStressWhateverItsRotation) {
  for_every_material([](const MaterialParams<double>& params, auto& random) {
    constexpr int D = sizeof(random.rotation()) == sizeof(Mat<double, 2>) ? 2 : 3;
    for (int k = 0; k < 20; ++k) {
      MaterialState<double, D> state;
      state.F = random.rotation();
      start_history<double, D>(params.model, state.history);
      EXPECT_NEAR(elastic_energy(params, state), 0, 1e-12 * kModulus);
      EXPECT_LE(size(first_piola(params, state)), 1e-12 * kModulus);
      const auto r = respond(params, state);
      EXPECT_LE(size(r.tau), 1e-12 * kModulus);
      EXPECT_NEAR(r.psi, 0, 1e-12 * kModulus);
    }
  });
}

// `respond` and `first_piola` are the same law: tau = P F^T at the state that plastic flow left
// behind.
TEST(Materials, ResponseAgreesWithTheElasticLawAfterFlow) {
  for_every_material([](const MaterialParams<double>& params, auto& random) {
    for (int k = 0; k < 40; ++k) {
      auto state = state_at(params, random.deformation(0.8, 1.2));
      const auto r = respond(params, state);
      const auto tau = first_piola(params, state) * transpose(state.F);
      const double scale = kModulus + r.wave_modulus;
      EXPECT_LE(size(r.tau - tau), 1e-12 * scale);
      EXPECT_LE(size(r.tau - transpose(r.tau)), 1e-12 * scale);
      EXPECT_NEAR(r.psi, elastic_energy(params, state), 1e-12 * scale);
    }
  });
}

// The largest rho c^2 = [D^2 psi](a (F^T n)^T) over random plane waves with normal n and
// polarisation a.
template <int D>
double fastest_wave(const MaterialParams<double>& params, const MaterialState<double, D>& state,
                    test::RandomMatrices<D>& random) {
  double fastest = 0;
  for (int w = 0; w < 300; ++w) {
    const Vec<double, D> n = random.unit_vector();
    const Vec<double, D> a = w % 2 ? random.unit_vector() : n;
    const Mat<double, D> dF = outer(a, transpose(state.F) * n);
    const Mat<double, D> dP = first_piola_differential(params, state, dF);
    fastest = std::max(fastest, contract(dF, dP));
  }
  return fastest;
}

TEST(Materials, WaveModulusBoundsEveryPlaneWave) {
  for_every_material([](const MaterialParams<double>& params, auto& random) {
    for (int k = 0; k < 30; ++k) {
      auto state = state_at(params, random.deformation(0.6, 1.6));
      const double M = respond(params, state).wave_modulus;
      EXPECT_LE(fastest_wave(params, state, random), M * (1 + 1e-10));
    }
  });
}

// A bound that is far too high would cost steps. Gershgorin's bound on the stretch, sqrt(3) at
// worst, and the sum of separate bounds stay below a factor of two for strains of 10 %.
TEST(Materials, WaveModulusIsNotFarAboveTheFastestWave) {
  for_every_material([](const MaterialParams<double>& params, auto& random) {
    for (int k = 0; k < 30; ++k) {
      auto state = state_at(params, random.deformation(0.9, 1.1));
      if (params.model == MaterialModel::kWeaklyCompressible && state.history[0] > params.cavitates)
        continue;  // open: without waves, until it closes
      const double M = respond(params, state).wave_modulus;
      EXPECT_GE(2 * fastest_wave(params, state, random), M);
    }
  });
}

TEST(Materials, AtRestTheWaveModulusIsThatOfThePressureWave) {
  for (const NamedMaterial& m : all_materials()) {
    SCOPED_TRACE(m.name);
    const auto params = make_material_params<double>(m.material, 3);
    MaterialState<double, 3> state;
    state.F = Mat<double, 3>::identity();
    start_history<double, 3>(params.model, state.history);
    double expected = params.lambda + 2 * params.mu;
    if (params.model == MaterialModel::kCorotatedDeviatoric)
      expected = params.lambda + 4.0 / 3.0 * params.mu;
    if (params.model == MaterialModel::kWeaklyCompressible)
      expected = params.bulk_modulus * params.gamma;
    EXPECT_NEAR(respond(params, state).wave_modulus, expected, 1e-12 * expected);
  }
}

TEST(Materials, ForbiddenInversionIsNotCarriedOnSilently) {
  for (const NamedMaterial& m : all_materials()) {
    SCOPED_TRACE(m.name);
    const auto params = make_material_params<double>(m.material, 3);
    MaterialState<double, 3> state = state_at(params, Mat<double, 3>::diagonal({{1.1, 0.9, -0.5}}));
    EXPECT_EQ(is_finite(respond(params, state).tau(0, 0)), !forbids_inversion(params.model));
  }
}

// What is torn is long, thin and flat: of such a strain the invariants of F F^T are beyond what
// single precision knows of its determinant.
template <int D>
void expect_energy_of_thin_strains(const Material& material, const Vec<double, D>& stretches) {
  const auto exact = make_material_params<double>(material, D);
  const auto params = make_material_params<float>(material, D);
  test::RandomMatrices<D> random(21);
  for (int k = 0; k < 200; ++k) {
    const Svd<double, D> axes = svd(random.deformation(0.5, 2));
    MaterialState<float, D> state;
    state.F = Mat<float, D>::identity();
    Mat<double, D> F = compose(axes.U, stretches, axes.V);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        state.F(i, j) = static_cast<float>(F(i, j));
        F(i, j) = state.F(i, j);
      }
    start_history<float, D>(params.model, state.history);
    MaterialState<double, D> exact_state;
    exact_state.F = F;
    start_history<double, D>(exact.model, exact_state.history);
    const double expected = elastic_energy(exact, exact_state);
    ASSERT_NEAR(elastic_energy(params, state), expected, 0.01 * expected) << k;
    ASSERT_TRUE(is_finite(respond(params, state).psi)) << k;
  }
}
TEST(Materials, ThinStrainsHaveAnEnergyInSinglePrecision) {
  for (const NamedMaterial& m : all_materials()) {
    SCOPED_TRACE(m.name);
    expect_energy_of_thin_strains<2>(m.material, {{20, 1e-3}});
    expect_energy_of_thin_strains<3>(m.material, {{10, 4, 5e-4}});
  }
}

TEST(Materials, LameParametersAndConeFromTheScene) {
  const auto p = make_material_params<double>(sand_material(), 3);
  EXPECT_NEAR(p.mu, kModulus / 2.6, 1e-9);
  EXPECT_NEAR(p.lambda, kModulus * 0.3 / (1.3 * 0.4), 1e-9);
  EXPECT_NEAR(p.friction, std::sqrt(2.0 / 3) * 2 * std::sin(0.6) / (3 - std::sin(0.6)), 1e-15);
  EXPECT_NEAR(p.cone_ratio, (3 * p.lambda + 2 * p.mu) / (2 * p.mu), 1e-12);
  EXPECT_NEAR(make_material_params<double>(sand_material(), 2).cone_ratio,
              (2 * p.lambda + 2 * p.mu) / (2 * p.mu), 1e-12);
}

TEST(Materials, FluidOfTheSampleHasLinearPressure) {
  const auto params = make_material_params<double>(fluid_material(1), 2);
  auto state = state_at(params, Mat<double, 2>::diagonal({{0.9, 1.0}}));
  EXPECT_NEAR(respond(params, state).tau(0, 0), kModulus * (0.9 - 1), 1e-12 * kModulus);
}

}  // namespace
}  // namespace firn
