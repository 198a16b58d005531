// Quadratic elasticity in the logarithmic (Hencky) strain e = ln Sigma, psi = mu tr(e^2) + lambda/2
// tr(e)^2. Plastic flow is a shift of e, which is why sand and von Mises plasticity stand on it.
// Defined for J > 0 only.
#pragma once

#include "kernels/materials/params.h"
#include "kernels/materials/principal.h"

namespace firn {

struct StvkHencky : Law {
  template <class T, int D>
  FIRN_HD static T sum(const Vec<T, D>& v) {
    T s = v[0];
    for (int i = 1; i < D; ++i) s = s + v[i];
    return s;
  }

  template <class T, int D>
  FIRN_HD static Vec<T, D> hencky_strain(const Svd<T, D>& s) {
    Vec<T, D> strain;
    for (int i = 0; i < D; ++i) strain[i] = log(s.sigma[i]);
    return strain;
  }

  // Puts a strain that plastic flow has moved back into F, in the lanes that changed.
  template <class T, int D, class Mask>
  FIRN_HD static void store_strain(const Svd<T, D>& s, const Vec<T, D>& strain, const Mask& changed,
                                   Mat<T, D>& F) {
    if (!any(changed)) return;
    Vec<T, D> stretch;
    for (int i = 0; i < D; ++i) stretch[i] = exp(strain[i]);
    const Mat<T, D> returned = compose(s.U, stretch, s.V);
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) F(i, j) = select(changed, returned(i, j), F(i, j));
  }

  template <class T, int D>
  FIRN_HD static T energy_of_strain(const MaterialParams<Scalar<T>>& params, const Vec<T, D>& e) {
    const T tr = sum(e);
    return T(params.mu) * dot(e, e) + T(Scalar<T>(0.5f) * params.lambda) * tr * tr;
  }

  // Stress from the strain in the principal axes U of the Kirchhoff stress.
  template <class T, int D>
  FIRN_HD static Response<T, D> respond_to_strain(const MaterialParams<Scalar<T>>& params,
                                                  const Mat<T, D>& U, const Vec<T, D>& e) {
    const T mu(params.mu), lambda(params.lambda);
    const T pressure = lambda * sum(e);
    Vec<T, D> tau;
    T lo = e[0], hi = e[0];
    for (int i = 0; i < D; ++i) {
      tau[i] = T(2) * mu * e[i] + pressure;
      lo = min(lo, e[i]);
      hi = max(hi, e[i]);
    }
    Response<T, D> r;
    r.tau = from_principal(U, tau);
    r.psi = energy_of_strain(params, e);
    // Waves along a principal axis have 2 mu + lambda - tau_i, waves across at most mu (1 + 2 |e_i
    // - e_j|), and oblique ones are no faster than the latter plus the coupling |lambda - tau_j +
    // k|, 0
    // <= k <= mu.
    const T tau_lo = T(2) * mu * lo + pressure, tau_hi = T(2) * mu * hi + pressure;
    const T across = T(2) * mu * (hi - lo) + mu;
    r.wave_modulus = across + max(lambda + mu - tau_lo, tau_hi - lambda);
    return r;
  }

  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        const Mat<T, D>& F) {
    const Svd<T, D> s = svd(F);
    return respond_to_strain(params, s.U, hencky_strain(s));
  }

  template <class T, int D>
  FIRN_HD static T elastic_energy(const MaterialParams<Scalar<T>>& params, const Mat<T, D>& F) {
    return energy_of_strain(params, hencky_strain(svd(F)));
  }

  // (ln a - ln b) / (a - b), also where a = b.
  template <class Real>
  FIRN_HD static Real log_quotient(Real a, Real b) {
    const Real z = (a - b) / (a + b);  // ln(a/b) = 2 artanh z = 2 (z + z^3/3 + z^5/5 + ...)
    const Real z2 = z * z;
    if (z2 < Real(1e-4))
      return 2 / (a + b) * (1 + z2 * (Real(1) / 3 + z2 * (Real(1) / 5 + z2 / 7)));
    return log(a / b) / (a - b);
  }

  template <class Real, int D>
  FIRN_HD static PrincipalStress<Real, D> principal_stress(const MaterialParams<Real>& params,
                                                           const Vec<Real, D>& sigma) {
    Vec<Real, D> tau;
    Real tr = 0;
    for (int i = 0; i < D; ++i) tr += log(sigma[i]);
    for (int i = 0; i < D; ++i) tau[i] = 2 * params.mu * log(sigma[i]) + params.lambda * tr;
    PrincipalStress<Real, D> r;
    for (int i = 0; i < D; ++i) {
      r.P[i] = tau[i] / sigma[i];
      for (int j = 0; j < D; ++j) {
        const Real product = sigma[i] * sigma[j];
        r.dP(i, j) = (params.lambda + (i == j ? 2 * params.mu - tau[i] : 0)) / product;
        // Divided difference of tau/s: the quotient of tau, and that of 1/s.
        r.difference(i, j) =
            2 * params.mu * log_quotient(sigma[i], sigma[j]) / sigma[i] - tau[j] / product;
      }
    }
    return r;
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola(const MaterialParams<Real>& params,
                                          const Mat<Real, D>& F) {
    const Svd<Real, D> s = svd(F);
    return compose(s.U, principal_stress(params, s.sigma).P, s.V);
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                       const Mat<Real, D>& F,
                                                       const Mat<Real, D>& dF) {
    const Svd<Real, D> s = svd(F);
    return principal_differential(s, principal_stress(params, s.sigma), dF);
  }
};

}  // namespace firn
