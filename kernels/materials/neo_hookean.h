// Compressible neo-Hookean elasticity [T 3.1.2], psi = mu/2 (F:F - d) - mu ln J + lambda/2
// (ln J)^2. Infinite energy at J = 0: an inverted particle is an error.
#pragma once

#include "kernels/materials/log_excess.h"
#include "kernels/materials/params.h"
#include "kernels/materials/principal.h"

namespace firn {

struct NeoHookean : Law {
  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        const Mat<T, D>& F) {
    const T mu(params.mu), lambda(params.lambda);
    const T J = determinant(F);
    const T log_J = log(J);
    Mat<T, D> G = F;  // displacement gradient; b - I = G + G^T + G G^T keeps its digits near rest
    for (int i = 0; i < D; ++i) G(i, i) = G(i, i) - T(1);
    const Mat<T, D> b_minus_one = G + transpose(G) + symmetric_product(G, G);

    Response<T, D> r;
    r.tau = mu * b_minus_one;
    for (int i = 0; i < D; ++i) r.tau(i, i) = r.tau(i, i) + lambda * log_J;
    r.psi = mu * log_excess_of(b_minus_one, log_J) + T(0.5f) * lambda * log_J * log_J;
    // Rank-one stiffness mu |F^T n|^2 + (mu + lambda (1 - ln J)) (a.n)^2; the second term may be
    // negative.
    r.wave_modulus =
        mu * (T(1) + spectral_bound(b_minus_one)) + max(mu + lambda * (T(1) - log_J), T(0));
    return r;
  }

  template <class T, int D>
  FIRN_HD static T elastic_energy(const MaterialParams<Scalar<T>>& params, const Mat<T, D>& F) {
    return respond<T, D>(params, F).psi;
  }

  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> principal_stress(const MaterialParams<Scalar<T>>& params,
                                                        const Vec<T, D>& sigma) {
    const T mu(params.mu), lambda(params.lambda);
    T J = sigma[0];
    for (int i = 1; i < D; ++i) J = J * sigma[i];
    const T log_J = log(J);
    auto r = quadratic_principal_stress<T, D>(sigma, mu, 0);
    add_energy_of_volume(sigma, T(0), (lambda * log_J - mu) / J,
                         (mu + lambda * (T(1) - log_J)) / (J * J), r);
    r.psi = T(0.5f) * lambda * log_J * log_J;
    for (int i = 0; i < D; ++i) {
      const T e = sigma[i] - T(1);
      r.psi = r.psi + mu * (T(0.5f) * e * e + log_excess(e));
    }
    return r;
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola(const MaterialParams<Real>& params,
                                          const Mat<Real, D>& F) {
    const Real J = determinant(F);
    return params.mu * F + ((params.lambda * log(J) - params.mu) / J) * cofactor(F);
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                       const Mat<Real, D>& F,
                                                       const Mat<Real, D>& dF) {
    const Real J = determinant(F), log_J = log(J);
    const Mat<Real, D> C = cofactor(F);
    const Real slope = (params.lambda * log_J - params.mu) / J;  // d/dJ of the volumetric energy
    const Real curvature = (params.lambda * (1 - log_J) + params.mu) / (J * J);
    return params.mu * dF + curvature * contract(C, dF) * C + slope * cofactor_differential(F, dF);
  }
};

}  // namespace firn
