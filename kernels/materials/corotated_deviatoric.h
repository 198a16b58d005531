// Fixed corotated elasticity that leaves volume to lambda alone [T 6.3.2, App. D]:
// psi = mu |J^(-1/d) F - R|^2 + lambda/2 (J - 1)^2. The thermal solver gives the lambda part to its
// pressure solve by calling with lambda = 0. Defined for J > 0 only.
#pragma once

#include "kernels/materials/params.h"
#include "kernels/materials/principal.h"
#include "kernels/math/polar.h"

namespace firn {

struct CorotatedDeviatoric : Law {
  // J^(-1/d), the scale that makes F unimodular.
  template <class T, int D>
  FIRN_HD static T unimodular_scale(const T& J) {
    if constexpr (D == 2) return T(1) / sqrt(J);
    return exp(log(J) * T(Scalar<T>(-1) / D));
  }

  // Bound on the deviatoric rank-one stiffness over 2 mu, from E = J^(-1/d) V - I. With the
  // unimodular stretches s_i, e(s) = 2 s^2 - s and C = sum e / d^2 + mean(s^2 - s), the stiffness
  // of a wave along and across principal axes is
  //   s_i^2 - 2 e_i / d + C   and   s_i^2 (1 - 1/(s_i + s_j)) + |C - (e_i + e_j)/d + s_i s_j / (s_i
  //   + s_j)|,
  // and no oblique wave is faster than the larger of them. Here each term takes its extreme over lo
  // <= s <= hi; at rest the result, (d - 1) / d, is exact.
  template <class T, int D>
  FIRN_HD static T deviatoric_stiffness(const Mat<T, D>& E) {
    using Real = Scalar<T>;
    constexpr Real d = D;
    const auto e = [](const T& s) { return (s + s - T(1)) * s; };
    const T radius = spectral_bound(E);
    const T lo = max(T(1) - radius, T(0)), hi = T(1) + radius;
    const T tr = trace(E), square = contract(E, E);
    const T C = (T(d) + T(3) * tr + T(2) * square) * T(1 / (d * d)) + (tr + square) * T(1 / d);
    const T s = max(lo, T(1 / (4 - d)));
    const T along = s * s * T(1 - 4 / d) + s * T(2 / d) + C;
    const T softest = C - e(hi) * T(2 / d) + T(0.5f) * lo;
    const T stiffest = C - e(max(lo, T(0.25f))) * T(2 / d) + T(0.5f) * hi;
    const T across = hi * (hi - T(0.5f)) + max(abs(softest), abs(stiffest));
    return max(along, across);
  }

  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        const Mat<T, D>& F) {
    const T mu(params.mu), lambda(params.lambda);
    const T J = determinant(F);
    const Mat<T, D> R = polar_rotation(F);
    const Mat<T, D> E = symmetric_product(F * unimodular_scale<T, D>(J) - R, R);
    const T volumetric = lambda * (J - T(1));

    Response<T, D> r;
    r.tau = T(2) * mu * (E + symmetric_product(E, E));
    const T pressure = volumetric * J - trace(r.tau) * T(Scalar<T>(1) / D);
    for (int i = 0; i < D; ++i) r.tau(i, i) = r.tau(i, i) + pressure;
    r.psi = mu * contract(E, E) + T(0.5f) * volumetric * (J - T(1));
    r.wave_modulus = T(2) * mu * deviatoric_stiffness(E) + lambda * J * J;
    return r;
  }

  template <class T, int D>
  FIRN_HD static T elastic_energy(const MaterialParams<Scalar<T>>& params, const Mat<T, D>& F) {
    const T J = determinant(F);
    const Mat<T, D> E = F * unimodular_scale<T, D>(J) - polar_rotation(F);
    return T(params.mu) * contract(E, E) +
           T(Scalar<T>(0.5f) * params.lambda) * (J - T(1)) * (J - T(1));
  }

  // With g_i = J^(-1/d) s_i, a = sum (g_k - 1) g_k and b = sum (2 g_k - 1) g_k.
  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> principal_stress(const MaterialParams<Scalar<T>>& params,
                                                        const Vec<T, D>& sigma) {
    const T two_mu(2 * params.mu), lambda(params.lambda), share(Scalar<T>(1) / D);
    T J = sigma[0];
    for (int i = 1; i < D; ++i) J = J * sigma[i];
    const T scale = unimodular_scale<T, D>(J);
    Vec<T, D> g, inverse;
    T a = T(0), b = T(0);
    PrincipalStress<T, D> r;
    r.psi = T(0);
    for (int i = 0; i < D; ++i) {
      g[i] = scale * sigma[i];
      inverse[i] = share / sigma[i];
      a = a + (g[i] - T(1)) * g[i];
      b = b + (g[i] + g[i] - T(1)) * g[i];
      r.psi = r.psi + T(0.5f) * two_mu * (g[i] - T(1)) * (g[i] - T(1));
    }
    for (int i = 0; i < D; ++i) {
      r.P[i] = two_mu * (scale * (g[i] - T(1)) - a * inverse[i]);
      for (int j = 0; j < D; ++j) {
        const T cross = b * inverse[i] * inverse[j] - scale * (g[i] + g[i] - T(1)) * inverse[j] -
                        scale * (g[j] + g[j] - T(1)) * inverse[i];
        const T product = a * inverse[i] * inverse[j] * T(Scalar<T>(D));  // a / (d s_i s_j)
        r.dP(i, j) = two_mu * (i == j ? cross + scale * scale + product : cross);
        r.difference(i, j) = two_mu * (scale * scale + product);
        r.sum(i, j) = two_mu * (scale * scale - T(2) * scale / (sigma[i] + sigma[j]) - product);
      }
    }
    const T j = J - T(1);
    add_energy_of_volume(sigma, T(0.5f) * lambda * j * j, lambda * j, lambda, r);
    return r;
  }

  // With G = J^(-1/d) F: P = 2 mu (J^(-1/d) (G - R) - (G:G - R:G)/d F^-T) + lambda (J - 1) cof F.
  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola(const MaterialParams<Real>& params,
                                          const Mat<Real, D>& F) {
    const Real J = determinant(F), scale = unimodular_scale<Real, D>(J);
    const Mat<Real, D> C = cofactor(F), G = F * scale, R = polar_rotation(F);
    const Real a = contract(G, G) - contract(R, G);
    return 2 * params.mu * (scale * (G - R) - (a / (D * J)) * C) + params.lambda * (J - 1) * C;
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                       const Mat<Real, D>& F,
                                                       const Mat<Real, D>& dF) {
    const Svd<Real, D> s = svd(F);
    const Real J = determinant(F), scale = unimodular_scale<Real, D>(J);
    const Mat<Real, D> C = cofactor(F), G = F * scale, R = s.U * transpose(s.V);
    const Mat<Real, D> F_inv_t = C * (1 / J);
    const Real t = contract(F_inv_t, dF);  // dJ / J
    const Mat<Real, D> dG = scale * dF - (t / D) * G;
    const Mat<Real, D> dR = polar_differential(s, dF);
    const Mat<Real, D> dF_inv_t = Real(-1) * (F_inv_t * transpose(dF) * F_inv_t);
    const Real a = contract(G, G) - contract(R, G);
    const Real da = 2 * contract(G, dG) - contract(R, dG);  // dR : G = 0, R^T G is symmetric
    const Mat<Real, D> deviatoric =
        scale * (dG - dR) - (scale * t / D) * (G - R) - (da / D) * F_inv_t - (a / D) * dF_inv_t;
    return 2 * params.mu * deviatoric +
           params.lambda * (J * t * C + (J - 1) * cofactor_differential(F, dF));
  }
};

}  // namespace firn
