// Fixed corotated elasticity [T 3.1.3], psi = mu |F - R|^2 + lambda/2 (J - 1)^2 with R the polar
// rotation. Finite and smooth through inversion; the workhorse solid, and with clamped singular
// values the base of snow.
#pragma once

#include "kernels/materials/params.h"
#include "kernels/materials/principal.h"
#include "kernels/math/polar.h"

namespace firn {

struct FixedCorotated : Law {
  static constexpr bool kForbidsInversion = false;
  static constexpr bool kCollapses = true;  // P F^T vanishes with F

  // Written in E = V - I, where V = F R^T is the left stretch: no digits are lost near rest, where
  // F ~ R.
  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        const Mat<T, D>& F) {
    const T mu(params.mu), lambda(params.lambda);
    const Mat<T, D> R = polar_rotation(F);
    const Mat<T, D> E = symmetric_product(F - R, R);
    const T J = determinant(F);
    const T volumetric = lambda * (J - T(1));

    Response<T, D> r;
    r.tau = T(2) * mu * (E + symmetric_product(E, E));  // 2 mu (F - R) F^T = 2 mu (V - I) V
    for (int i = 0; i < D; ++i) r.tau(i, i) = r.tau(i, i) + volumetric * J;
    r.psi = mu * contract(E, E) + T(0.5f) * volumetric * (J - T(1));
    // [D^2 psi](a n F) <= 2 mu |F^T n|^2 + lambda J^2 for unit a, n: the rotation's part only
    // softens.
    const T stretch = T(1) + spectral_bound(E);
    r.wave_modulus = T(2) * mu * stretch * stretch + lambda * J * J;
    return r;
  }

  template <class T, int D>
  FIRN_HD static T elastic_energy(const MaterialParams<Scalar<T>>& params, const Mat<T, D>& F) {
    const Mat<T, D> E = F - polar_rotation(F);
    const T j = determinant(F) - T(1);
    return T(params.mu) * contract(E, E) + T(0.5f * params.lambda) * j * j;
  }

  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> principal_stress(const MaterialParams<Scalar<T>>& params,
                                                        const Vec<T, D>& sigma) {
    const T lambda(params.lambda);
    T J = sigma[0];
    for (int i = 1; i < D; ++i) J = J * sigma[i];
    const T j = J - T(1);
    auto r = quadratic_principal_stress<T, D>(sigma, T(2 * params.mu), 1);
    add_energy_of_volume(sigma, T(0.5f) * lambda * j * j, lambda * j, lambda, r);
    return r;
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola(const MaterialParams<Real>& params,
                                          const Mat<Real, D>& F) {
    return 2 * params.mu * (F - polar_rotation(F)) +
           params.lambda * (determinant(F) - 1) * cofactor(F);
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                       const Mat<Real, D>& F,
                                                       const Mat<Real, D>& dF) {
    const Mat<Real, D> C = cofactor(F);
    return 2 * params.mu * (dF - polar_differential(svd(F), dF)) +
           params.lambda *
               (contract(C, dF) * C + (determinant(F) - 1) * cofactor_differential(F, dF));
  }
};

}  // namespace firn
