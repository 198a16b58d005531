// Viscoelastic solids and fluids [T 4.2; Ram et al. 2015]: neo-Hookean elasticity of a strain
// that relaxes as in the Oldroyd-B model, b_OB' = (b_OB + dt/Wi I) / (1 + dt/Wi), made to flow at
// constant volume, b^E = (J^2 / det b_OB)^(1/d) b_OB. F is kept with F F^T = b^E, so that det F is
// J, and beside it what b_OB has in another volume. The update is that of the backward Euler
// method, whose b_OB stays positive definite at any step; the printed explicit one is not beyond
// dt = Wi.
// psi = mu/2 (F:F - d) - mu ln J + lambda/2 (J - 1)^2.
#pragma once

#include "kernels/materials/log_excess.h"
#include "kernels/materials/params.h"
#include "kernels/materials/principal.h"

namespace firn {

struct Viscoelastic : Law {
  static constexpr bool kFlowsOn = true;
  static constexpr int kScalars = 1;

  // Faster, or for less long, it is a solid, whose volume ratio needs no hold.
  template <class Real>
  FIRN_HD static Real fastest_flow(const MaterialParams<Real>& params) {
    return 4 / params.relaxation_time;
  }

  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        const Mat<T, D>& F) {
    const T mu(params.mu), lambda(params.lambda);
    const T J = determinant(F);
    Mat<T, D> G = F;  // b - I = G + G^T + G G^T keeps its digits near rest
    for (int i = 0; i < D; ++i) G(i, i) = G(i, i) - T(1);
    const Mat<T, D> b_minus_one = G + transpose(G) + symmetric_product(G, G);

    Response<T, D> r;
    r.tau = mu * b_minus_one;
    for (int i = 0; i < D; ++i) r.tau(i, i) = r.tau(i, i) + lambda * (J - T(1)) * J;
    // The logarithm makes all of it NaN where J <= 0 is: no energy, no stress.
    const T log_J = log(J);
    for (int i = 0; i < D; ++i) r.tau(i, i) = r.tau(i, i) + (log_J - log_J);
    r.psi = mu * log_excess_of(b_minus_one, log_J) + T(0.5f) * lambda * (J - T(1)) * (J - T(1));
    // Rank-one stiffness mu |F^T n|^2 + (mu + lambda J^2) (a.n)^2.
    r.wave_modulus = mu * (T(2) + spectral_bound(b_minus_one)) + lambda * J * J;
    return r;
  }

  template <class T, int D>
  FIRN_HD static T elastic_energy(const MaterialParams<Scalar<T>>& params, const Mat<T, D>& F) {
    return respond<T, D>(params, F).psi;
  }

  // The part of what flows in state.dt: beside the rest, 1 - it, that keeps what it was.
  template <class T, int D>
  FIRN_HD static Scalar<T> relaxed(const MaterialParams<Scalar<T>>& params,
                                   const MaterialState<T, D>& state) {
    return state.dt / (state.dt + params.relaxation_time);
  }

  // The principal stretches of b_OB, beta_i = e^(2 h / d) sigma_i^2, relax to (1 - k) beta_i + k;
  // what that does to their product goes to the history.
  template <class T, int D>
  FIRN_HD static Mat<T, D> relaxation(const MaterialParams<Scalar<T>>& params,
                                      MaterialState<T, D>& state) {
    using Real = Scalar<T>;
    const T share(Real(1) / D), k(relaxed(params, state));
    const Svd<T, D> s = svd(state.F);
    const T factor = exp(T(2) * share * state.history[0]);
    Vec<T, D> growth;  // of beta_i
    T gained = T(0);
    for (int i = 0; i < D; ++i) {
      growth[i] = k * (T(1) / (factor * s.sigma[i] * s.sigma[i]) - T(1));
      gained = gained + T(0.5f) * log_one_plus(growth[i]);
    }
    state.history[0] = state.history[0] + gained;
    const T swelling = exp_minus_one(share * gained);
    Vec<T, D> stretch;  // sqrt(1 + growth_i) / (1 + swelling) - 1
    for (int i = 0; i < D; ++i)
      stretch[i] = (growth[i] / (sqrt(T(1) + growth[i]) + T(1)) - swelling) / (T(1) + swelling);
    return from_principal(s.U, stretch);
  }

  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> principal_stress(const MaterialParams<Scalar<T>>& params,
                                                        const Vec<T, D>& sigma) {
    return relaxing_stress(params, sigma, Scalar<T>(0));
  }

  // A strain of which the part k relaxes in the step has the stress of one that has relaxed, but
  // for the change of volume that the correction takes out, which is that of the step before:
  //   psi = (1 - k) mu (|sigma|^2 / 2 - ln J) + k mu (d/2 J^(2/d) - ln J) + lambda/2 (J - 1)^2,
  // less what that is at rest. Its derivative is the deviator of the relaxed stress, mu (1 - k)
  // dev(b); k = 1 is a fluid.
  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> flowing_stress(const MaterialParams<Scalar<T>>& params,
                                                      const MaterialState<T, D>& state,
                                                      const Vec<T, D>& sigma) {
    return relaxing_stress(params, sigma, relaxed(params, state));
  }

  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> relaxing_stress(const MaterialParams<Scalar<T>>& params,
                                                       const Vec<T, D>& sigma, Scalar<T> k) {
    using Real = Scalar<T>;
    const T mu(params.mu), lambda(params.lambda);
    T J = sigma[0];
    for (int i = 1; i < D; ++i) J = J * sigma[i];
    const T log_J = log(J);
    auto r = quadratic_principal_stress<T, D>(sigma, mu * T(1 - k), 0);
    T energy = T(0.5f) * lambda * (J - T(1)) * (J - T(1));
    for (int i = 0; i < D; ++i) {
      const T e = sigma[i] - T(1);
      energy = energy + mu * T(1 - k) * (T(0.5f) * e * e + log_excess(e));
    }
    T slope = lambda * (J - T(1)) - mu / J;
    T curvature = lambda + mu / (J * J);
    if (k > Real(0)) {
      // J^(2/d) - 1, of which d/2 ln is ln J.
      const T growth = D == 2 ? J - T(1) : exp_minus_one(log_J * T(Real(2) / D));
      const T kept = mu * T(k) * (T(1) + growth);
      energy = energy + mu * T(k) * T(Real(0.5) * D) * log_excess(growth);
      slope = slope + kept / J;
      curvature = curvature + kept * T(Real(2) / D - 1) / (J * J);
    }
    add_energy_of_volume(sigma, T(0), slope, curvature, r);
    r.psi = energy;
    return r;
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola(const MaterialParams<Real>& params,
                                          const Mat<Real, D>& F) {
    const Real J = determinant(F);
    return params.mu * F + (params.lambda * (J - 1) - params.mu / J) * cofactor(F);
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                       const Mat<Real, D>& F,
                                                       const Mat<Real, D>& dF) {
    const Real J = determinant(F);
    const Mat<Real, D> C = cofactor(F);
    const Real slope = params.lambda * (J - 1) - params.mu / J;  // d/dJ of the energy of volume
    const Real curvature = params.lambda + params.mu / (J * J);
    return params.mu * dF + curvature * contract(C, dF) * C + slope * cofactor_differential(F, dF);
  }
};

}  // namespace firn
