// Snow [T 3.2]: fixed corotated elasticity whose singular values are clamped to [1 - theta_c, 1 +
// theta_s], the excess going to the plastic volume J_P, which hardens (J_P < 1) or weakens mu and
// lambda by exp(xi (1 - J_P)). The clamped sand of [APIC 8] is the same law without hardening.
#pragma once

#include "kernels/materials/fixed_corotated.h"

namespace firn {

struct Snow : Law {
  static constexpr bool kForbidsInversion = false;
  static constexpr int kScalars = 1, kFirst = 1;

  // A trial state that is inverted counts as crushed: J_P stays positive, which also bounds the
  // hardening at e^xi.
  static constexpr float kLeastPlasticVolume = 0.01f;

  // Nothing holds back a lone grain of powder that expands: without a bound its J_P would overflow.
  // Snow this loose has no strength left, whatever xi.
  static constexpr float kLargestPlasticVolume = 1e3f;

  template <int D, class T>
  FIRN_HD static T kept_volume(const T* history) {
    return history[0];
  }

  template <class T>
  FIRN_HD static T stiffening(const MaterialParams<Scalar<T>>& params, const T& J_P) {
    if (params.model == MaterialModel::kSandClamp) return T(1);
    return exp(T(params.hardening) * (T(1) - J_P));
  }

  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        MaterialState<T, D>& state) {
    const Svd<T, D> s = svd(state.F);
    Vec<T, D> clamped;
    T J_trial = T(1), J = T(1);
    auto flows = T(0) > T(1);  // no lane
    for (int i = 0; i < D; ++i) {
      clamped[i] = clamp(s.sigma[i], T(params.min_stretch), T(params.max_stretch));
      flows = flows || clamped[i] != s.sigma[i];
      J_trial = J_trial * s.sigma[i];
      J = J * clamped[i];
    }
    if (any(flows)) {
      const Mat<T, D> F = compose(s.U, clamped, s.V);
      for (int i = 0; i < D; ++i)
        for (int j = 0; j < D; ++j) state.F(i, j) = select(flows, F(i, j), state.F(i, j));
      const T J_P =
          clamp(state.history[0] * (J_trial / J), T(kLeastPlasticVolume), T(kLargestPlasticVolume));
      state.history[0] = select(flows, J_P, state.history[0]);
    }

    const T h = stiffening(params, state.history[0]);
    const T mu = h * T(params.mu), lambda = h * T(params.lambda);
    const T volumetric = lambda * (J - T(1));
    Vec<T, D> tau;
    T strain2 = T(0), stretch = T(0);
    for (int i = 0; i < D; ++i) {
      const T e = clamped[i] - T(1);
      tau[i] = T(2) * mu * e * clamped[i] + volumetric * J;
      strain2 = strain2 + e * e;
      stretch = max(stretch, clamped[i]);
    }
    Response<T, D> r;
    r.tau = from_principal(s.U, tau);
    r.psi = mu * strain2 + T(0.5f) * volumetric * (J - T(1));
    r.wave_modulus = T(2) * mu * stretch * stretch + lambda * J * J;
    return r;
  }

  // The elastic law at a fixed J_P is fixed corotated elasticity, stiffened.
  template <class T>
  FIRN_HD static MaterialParams<Scalar<T>> stiffened(MaterialParams<Scalar<T>> params, T J_P) {
    const T h = stiffening(params, J_P);
    params.mu *= h;
    params.lambda *= h;
    return params;
  }

  template <class T, int D>
  FIRN_HD static T elastic_energy(const MaterialParams<Scalar<T>>& params,
                                  const MaterialState<T, D>& state) {
    return stiffening(params, state.history[0]) * FixedCorotated::elastic_energy(params, state.F);
  }

  // A potential whose stress is bounded as the clamp bounds it, J_P fixed: that of shape along each
  // axis by its own stretch, that of volume where all axes are clamped. What returns to the clamp
  // has no potential, since volume couples the axes.
  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> flowing_stress(const MaterialParams<Scalar<T>>& params,
                                                      const MaterialState<T, D>& state,
                                                      const Vec<T, D>& sigma) {
    using Real = Scalar<T>;
    const T h = stiffening(params, state.history[0]);
    const T k = h * T(2 * params.mu), lambda = h * T(params.lambda);
    const T low(params.min_stretch), high(params.max_stretch);
    PrincipalStress<T, D> r;
    r.psi = T(0);
    T J = T(1), least = T(1), most = T(1);
    for (int i = 0; i < D; ++i) {
      const T c = clamp(sigma[i], low, high), e = c - T(1), over = sigma[i] - c;
      r.psi = r.psi + k * e * (T(0.5f) * e + over);
      r.P[i] = k * e;
      for (int j = 0; j < D; ++j) r.dP(i, j) = T(0);
      r.dP(i, i) = select(over == T(0), k, T(0));
      J = J * sigma[i], least = least * low, most = most * high;
    }
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) {
        const T apart = sigma[i] - sigma[j];
        const auto together = abs(apart) < T(Real(1e-4));
        r.difference(i, j) = select(together, T(0.5f) * (r.dP(i, i) + r.dP(j, j)),
                                    (r.P[i] - r.P[j]) / select(together, T(1), apart));
        r.sum(i, j) = (r.P[i] + r.P[j]) / max(sigma[i] + sigma[j], T(kEpsilon<T>));
      }
    const T volume = clamp(J, least, most), strain = volume - T(1), beyond = J - volume;
    add_energy_of_volume(sigma, lambda * strain * (T(0.5f) * strain + beyond), lambda * strain,
                         select(beyond == T(0), lambda, T(0)), r);
    return r;
  }

  // At a fixed J_P, and as far as the clamp: what flows is found after the step.
  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> principal_stress(const MaterialParams<Scalar<T>>& params,
                                                        const MaterialState<T, D>& state,
                                                        const Vec<T, D>& sigma) {
    auto r = FixedCorotated::principal_stress(params, sigma);
    const T h = stiffening(params, state.history[0]);
    r.psi = h * r.psi;
    r.P = h * r.P;
    r.dP = r.dP * h;
    r.difference = r.difference * h;
    r.sum = r.sum * h;
    return r;
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola(const MaterialParams<Real>& params,
                                          const MaterialState<Real, D>& state) {
    return FixedCorotated::first_piola(stiffened(params, state.history[0]), state.F);
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                       const MaterialState<Real, D>& state,
                                                       const Mat<Real, D>& dF) {
    return FixedCorotated::first_piola_differential(stiffened(params, state.history[0]), state.F,
                                                    dF);
  }
};

}  // namespace firn
