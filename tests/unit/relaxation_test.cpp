// Laws whose flow takes time, one particle at a time: Oldroyd-B against its closed form and
// Herschel-Bulkley fluids against theirs, at any step, in single precision, and with a potential.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/materials/material.h"
#include "kernels/math/generic_scalar.h"
#include "tests/support/law_cases.h"

namespace firn {
namespace {

using namespace test;

template <class Real, int D>
MaterialState<Real, D> at_rest(const MaterialParams<Real>& params, double dt) {
  MaterialState<Real, D> state;
  state.F = Mat<Real, D>::identity();
  start_history<Real, D>(params.model, state.history);
  state.dt = static_cast<Real>(dt);
  return state;
}

// A step under a velocity gradient, as the constitutive update does it: in F - I.
template <class Real, int D>
struct Particle {
  MaterialParams<Real> params;
  MaterialState<Real, D> state;
  Mat<Real, D> H = Mat<Real, D>::zero();

  Particle(const Material& m, double dt)
      : params(make_material_params<Real>(m, D)), state(at_rest<Real, D>(params, dt)) {}
  void step(const Mat<Real, D>& grad_v) {
    const Mat<Real, D> growth = grad_v * state.dt;
    H = H + (growth + growth * H);
    state.F = Mat<Real, D>::identity() + H;
    const Mat<Real, D> G = relaxation(params, state);
    H = H + (G + G * H);
    state.F = Mat<Real, D>::identity() + H;
  }
  Mat<Real, D> stress() {
    auto copy = state;
    return respond(params, copy).tau;
  }
};

template <class Real, int D>
Mat<Real, D> shear(Real rate) {
  Mat<Real, D> L = Mat<Real, D>::zero();
  L(0, 1) = rate;
  return L;
}

// The strain b_OB of plain Oldroyd-B: the multiple of F F^T that the history names.
template <int D>
Mat<double, D> oldroyd_strain(const MaterialState<double, D>& state) {
  return std::exp(2 * state.history[0] / D) * (state.F * transpose(state.F));
}

// Homogeneous start-up of shear of the upper-convected Maxwell model, s = t / lambda and We =
// lambda g: tau_xy / (eta g) = 1 - e^-s, N1 / (eta g) = 2 We (1 - e^-s (1 + s)).
template <int D>
void expect_startup_shear() {
  const Material foam = foam_material();
  for (const double We : {0.5, 1.0, 5.0}) {
    for (const double s : {0.1, 0.5, 1.0, 3.0, 8.0}) {
      const double rate = We / foam.relaxation_time, eta_rate = We;  // per shear modulus
      const int steps = 4000;
      Particle<double, D> p(foam, s * foam.relaxation_time / steps);
      for (int i = 0; i < steps; ++i) p.step(shear<double, D>(rate));
      const auto b = oldroyd_strain(p.state);
      const double tau = 1 - std::exp(-s), N1 = 2 * We * (1 - std::exp(-s) * (1 + s));
      EXPECT_NEAR(b(0, 1) / eta_rate, tau, 1e-3 * tau) << "We " << We << " s " << s;
      EXPECT_NEAR((b(0, 0) - b(1, 1)) / eta_rate, N1, 1e-3 * N1) << "We " << We << " s " << s;
    }
  }
}

TEST(Viscoelastic, StartUpOfShearIsThatOfOldroydB) {
  expect_startup_shear<2>();
  expect_startup_shear<3>();
}

TEST(Viscoelastic, FlowsAtConstantVolume) {
  RandomMatrices<3> random(3);
  for (const double dt : {1e-4, 1e-2, 1.0, 50.0}) {
    Particle<double, 3> p(foam_material(), dt);
    p.H = random.deformation(0.6, 1.6) - Mat<double, 3>::identity();
    const double J = determinant(Mat<double, 3>::identity() + p.H);
    for (int i = 0; i < 50; ++i) p.step(Mat<double, 3>::zero());
    EXPECT_NEAR(determinant(p.state.F), J, 1e-12 * J);
  }
}

// Stress at rest falls as e^(-t / Wi), of first order in the step.
TEST(Viscoelastic, StressRelaxesAsAnExponential) {
  const Material foam = foam_material();
  double before = 0;
  for (const int steps : {100, 200, 400}) {
    Particle<double, 3> p(foam, foam.relaxation_time / steps);
    p.H = shear<double, 3>(0.01);
    p.state.F = Mat<double, 3>::identity() + p.H;
    const double start = p.stress()(0, 1);
    for (int i = 0; i < steps; ++i) p.step(Mat<double, 3>::zero());
    const double error = std::abs(p.stress()(0, 1) / start - std::exp(-1.0));
    EXPECT_LE(error, 0.5 / steps);
    if (before > 0) {
      EXPECT_NEAR(before / error, 2, 0.1);
    }
    before = error;
  }
}

// Extension so fast that the plain model grows without bound, at steps of 100 relaxation times.
TEST(Viscoelastic, StaysPositiveDefiniteAtAnyStep) {
  const Material foam = foam_material();
  Particle<double, 3> p(foam, 100 * foam.relaxation_time);
  const double rate = 0.9 / p.state.dt;
  for (int i = 0; i < 100; ++i) {
    p.step(Mat<double, 3>::diagonal({{rate, -0.4 * rate, -0.4 * rate}}));
    const auto s = svd(p.state.F);
    ASSERT_GT(s.sigma[2], 0) << "step " << i;
    const auto tau = p.stress();
    ASSERT_TRUE(is_finite(tau(0, 0) + tau(1, 1) + tau(2, 2)));
  }
  // What a step leaves: (1 - k) of b, which the next has stretched, k = 100 / 101.
  const auto b = oldroyd_strain(p.state);
  EXPECT_LT(b(0, 0), 1.1);
  EXPECT_GT(b(1, 1), 0.9);
}

// A sponge that relaxes in 50 s loses 2e-6 of its strain in a step of 1e-4 s: less than 1 + strain
// can hold in single precision.
TEST(Viscoelastic, SlowRelaxationIsNotLostInSinglePrecision) {
  Material sponge = foam_material();
  sponge.relaxation_time = 50;
  Particle<float, 3> p(sponge, 1e-4);
  p.H = shear<float, 3>(0.01f);
  for (int i = 0; i < 50000; ++i) p.step(Mat<float, 3>::zero());
  const double left = p.H(0, 1) + p.H(1, 0);
  EXPECT_NEAR(left / 0.01, std::exp(-0.1), 0.002);
}

TEST(Viscoelastic, WithoutEndTheRelaxationTimeIsElastic) {
  Material crust = foam_material();
  crust.relaxation_time = 1e30;
  Particle<float, 3> p(crust, 1e-3);
  p.H = shear<float, 3>(0.1f);
  for (int i = 0; i < 1000; ++i) p.step(Mat<float, 3>::zero());
  EXPECT_EQ(p.H(0, 1), 0.1f);
  EXPECT_NEAR(p.H(0, 0), 0, 1e-30f);
}

template <int D>
double shear_stress(const Mat<double, D>& tau) {
  const Mat<double, D> dev = tau - Mat<double, D>::scaled_identity(trace(tau) / D);
  return std::sqrt(contract(dev, dev) / 2);
}

// Steady shear has the stress that names the law, and one below the yield stress stays what it is.
template <int D>
void expect_flow_curve(double n) {
  Material paste = paste_material();
  paste.flow_index = n;
  for (const double rate : {0.01, 1.0, 100.0}) {
    const double expected = paste.yield_stress + paste.consistency * std::pow(rate, n);
    const double mu = kModulus / 2.6, strain_per_step = 1e-4;
    if (expected > 0.05 * mu) continue;  // elastic strain that is large turns as well
    const int steps = static_cast<int>(4 * expected / mu / strain_per_step) + 20;
    Particle<double, D> p(paste, strain_per_step / rate);
    for (int i = 0; i < steps; ++i) p.step(shear<double, D>(rate));
    EXPECT_NEAR(shear_stress(p.stress()), expected, 1e-3 * expected) << "n " << n << " " << rate;
    EXPECT_NEAR(p.state.history[0], steps * strain_per_step - expected / mu,
                0.02 * steps * strain_per_step);
    EXPECT_NEAR(determinant(p.state.F), 1, 1e-9);
  }
}

TEST(HerschelBulkley, FlowCurve) {
  for (const double n : {0.1, 0.27, 0.4, 1.0, 1.7, 3.0}) {
    expect_flow_curve<2>(n);
    expect_flow_curve<3>(n);
  }
}

TEST(HerschelBulkley, BelowTheYieldStressNothingFlows) {
  Particle<double, 3> p(paste_material(), 10.0);
  const double mu = kModulus / 2.6;
  p.H = shear<double, 3>(0.98 * paste_material().yield_stress / mu);
  const auto H = p.H;
  for (int i = 0; i < 20; ++i) p.step(Mat<double, 3>::zero());
  EXPECT_EQ(size(p.H - H), 0);
  EXPECT_EQ(p.state.history[0], 0);
}

// The equation of the step's end, S' + mu dt ((S' - tau_Y) / K)^(1/n) = S, solved to rounding over
// twelve decades of steps.
TEST(HerschelBulkley, TheStepsEndDecidesHowFastItFlows) {
  int compared = 0;
  for (const double n : {0.05, 0.1, 0.3, 0.5, 0.9, 1.0, 1.2, 2.0, 5.0}) {
    Material paste = paste_material();
    paste.flow_index = n;
    const double mu = kModulus / 2.6;
    for (double dt = 1e-8; dt < 1e4; dt *= 10)
      for (const double strain : {0.02, 0.05, 0.2}) {
        Particle<double, 3> p(paste, dt);
        p.H = shear<double, 3>(strain);
        p.state.F = Mat<double, 3>::identity() + p.H;
        const double trial = shear_stress(p.stress());
        p.step(Mat<double, 3>::zero());
        const double S = shear_stress(p.stress());
        ASSERT_GE(S, paste.yield_stress * (1 - 1e-9));
        const double beyond = S - paste.yield_stress;
        if (beyond < 1e-6 * trial) continue;  // of which rounding leaves too few digits
        const double flow = mu * dt * std::pow(beyond / paste.consistency, 1 / n);
        const double known = 1e-12 * trial / beyond / n;
        EXPECT_NEAR(S + flow, trial, 1e-9 * trial + known * flow)
            << "n " << n << " dt " << dt << " strain " << strain;
        ++compared;
      }
  }
  EXPECT_GT(compared, 200);
}

// Stress and stiffness of the step are the derivatives of its potential, of all that flows in it.
TEST(Relaxation, HasAPotential) {
  for (const Material& m : {foam_material(), paste_material()}) {
    for (const double dt : {0.0, 1e-4, 1e-2, 1.0}) {
      const auto params = make_material_params<double>(m, 3);
      auto state = at_rest<double, 3>(params, dt);
      RandomMatrices<3> random(5);
      for (int k = 0; k < 20; ++k) {
        const auto s = svd(random.deformation(0.8, 1.25));
        const auto at = [&](int j, double t) {
          auto sigma = s.sigma;
          sigma[j] += t;
          return flowing_stress(params, state, sigma);
        };
        const auto law = at(0, 0);
        const double scale = 10 * kModulus;
        constexpr double h = 1e-6;
        for (int j = 0; j < 3; ++j) {
          EXPECT_NEAR((at(j, h).psi - at(j, -h).psi) / (2 * h), law.P[j], 1e-7 * scale);
          for (int i = 0; i < 3; ++i) {
            EXPECT_NEAR((at(j, h).P[i] - at(j, -h).P[i]) / (2 * h), law.dP(i, j), 1e-5 * scale);
            if (i == j) continue;
            EXPECT_NEAR(law.difference(i, j) * (s.sigma[i] - s.sigma[j]), law.P[i] - law.P[j],
                        1e-10 * scale);
            EXPECT_NEAR(law.sum(i, j) * (s.sigma[i] + s.sigma[j]), law.P[i] + law.P[j],
                        1e-10 * scale);
          }
        }
        if (dt == 0) {
          const auto elastic = principal_stress(params, state, s.sigma);
          EXPECT_NEAR(law.psi, elastic.psi, 1e-12 * scale);
          EXPECT_LE(norm(law.P - elastic.P), 1e-12 * scale);
        }
      }
    }
  }
}

// The solve's stress is that of the particle after the step: of Herschel-Bulkley fluids all of it;
// of viscoelastic ones the deviator, up to the change of volume that the correction takes out.
TEST(Relaxation, TheSolvesStressIsThatOfTheStepsEnd) {
  RandomMatrices<3> random(9);
  for (const double dt : {1e-3, 1e-1, 10.0}) {
    for (int k = 0; k < 20; ++k) {
      const auto F = random.deformation(0.9, 1.12);
      const auto s = svd(F);
      for (const Material& m : {foam_material(), paste_material()}) {
        Particle<double, 3> p(m, dt);
        const auto law = flowing_stress(p.params, p.state, s.sigma);
        const auto solved = compose(s.U, law.P, s.V) * transpose(F);
        p.H = F - Mat<double, 3>::identity();
        p.step(Mat<double, 3>::zero());
        const auto tau = p.stress();
        if (m.model == MaterialModel::kHerschelBulkley) {
          EXPECT_LE(size(solved - tau), 1e-8 * kModulus) << dt;
          continue;
        }
        const auto deviator = [](const Mat<double, 3>& A) {
          return A - Mat<double, 3>::scaled_identity(trace(A) / 3);
        };
        const double swelling = std::exp(-2 * p.state.history[0] / 3);
        EXPECT_LE(size(deviator(solved) * swelling - deviator(tau)), 1e-9 * kModulus) << dt;
      }
    }
  }
}

template <int D>
void expect_packs(const Material& m) {
  using Pack = firn::Pack<float>;
  const auto params = make_material_params<float>(m, D);
  RandomMatrices<D> random(4);
  for (const float dt : {0.0f, 1e-4f, 1e-2f, 10.0f}) {
    auto single = at_rest<float, D>(params, dt);
    MaterialState<Pack, D> packed;
    start_history<Pack, D>(params.model, packed.history);
    packed.dt = dt;
    const Mat<double, D> F = random.deformation(0.8, 1.25);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j)
        packed.F(i, j) = Pack(single.F(i, j) = static_cast<float>(F(i, j)));
    const auto one = relaxation(params, single);
    const auto many = relaxation(params, packed);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) EXPECT_NEAR(many(i, j)[0], one(i, j), 2e-6f);
    EXPECT_NEAR(packed.history[0][0], single.history[0], 2e-6f);
  }
}

TEST(Relaxation, PacksAreScalars) {
  for (const Material& m : {foam_material(), paste_material()}) {
    expect_packs<2>(m);
    expect_packs<3>(m);
  }
}

TEST(Relaxation, LogarithmAndPowerNextToOne) {
  for (const float x : {0.0f, 1e-30f, -1e-12f, 3e-8f, -4e-5f, 1e-3f, 0.1f, -0.5f, 2.0f}) {
    const double exact = x;
    EXPECT_NEAR(log_one_plus(x), std::log1p(exact), 3e-7 * std::abs(std::log1p(exact)));
    EXPECT_NEAR(exp_minus_one(x), std::expm1(exact), 3e-7 * std::abs(std::expm1(exact)));
  }
  EXPECT_EQ(exp_minus_one(-200.0f), -1.0f);
}

}  // namespace
}  // namespace firn
