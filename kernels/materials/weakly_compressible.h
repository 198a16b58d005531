// A weakly compressible fluid, Cauchy pressure p = K (J^-gamma - 1). The particle carries only
// J - 1 (history[0]): shear is never remembered, and of volume a stiff fluid changes so little that
// J itself would have no digits for it. gamma = 1 with K = E is the fluid of the 88-line
// sample, tau = E (J - 1).
#pragma once

#include "kernels/materials/params.h"
#include "kernels/materials/principal.h"
#include "kernels/math/generic_scalar.h"

namespace firn {

struct WeaklyCompressible : Law {
  static constexpr bool kDeforms = false;
  static constexpr bool kFlowsOn = true;
  static constexpr int kScalars = 1;

  template <class T>
  FIRN_HD static T kept_volume(const T& growth) {
    return T(1) + growth;
  }

  // J^(1 - gamma) - 1 of J - 1, in which stress, energy and stiffness are all written. Not by
  // `pow`, which gives a plausible number for J < 0 and an integer exponent; this is NaN there.
  template <class T>
  FIRN_HD static T power_growth(const MaterialParams<Scalar<T>>& params, const T& growth) {
    return expm1(T(1 - params.gamma) * log1p(growth));
  }

  // psi(J) with psi(1) = 0 and dpsi/dJ = -p.
  template <class T>
  FIRN_HD static T energy_of_volume(const MaterialParams<Scalar<T>>& params, const T& growth,
                                    const T& power) {
    const T K(params.bulk_modulus);
    if (params.gamma == 1) return K * (growth - log1p(growth));
    return K * (power / T(params.gamma - 1) + growth);
  }

  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        const MaterialState<T, D>& state) {
    const T K(params.bulk_modulus), growth = state.history[0];
    const T power = power_growth(params, growth);
    Response<T, D> r;
    r.tau = Mat<T, D>::scaled_identity(K * (growth - power));
    r.psi = energy_of_volume(params, growth, power);
    r.wave_modulus = K * T(params.gamma) * (T(1) + power);  // J^2 psi''(J)
    return r;
  }

  template <class T, int D>
  FIRN_HD static T elastic_energy(const MaterialParams<Scalar<T>>& params,
                                  const MaterialState<T, D>& state) {
    return energy_of_volume(params, state.history[0], power_growth(params, state.history[0]));
  }

  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> principal_stress(const MaterialParams<Scalar<T>>& params,
                                                        const Vec<T, D>& sigma) {
    T J = sigma[0];
    for (int i = 1; i < D; ++i) J = J * sigma[i];
    const T K(params.bulk_modulus), growth = J - T(1), change = power_growth(params, growth);
    const T power = (T(1) + change) / J;  // J^-gamma
    const T slope = K * (growth - change) / J;
    auto r = quadratic_principal_stress<T, D>(sigma, T(0), 0);
    add_energy_of_volume(sigma, energy_of_volume(params, growth, change), slope,
                         K * T(params.gamma) * power / J, r);
    return r;
  }

  // The elastic law seen as a function of F, for solvers that move F: J = det F.
  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola(const MaterialParams<Real>& params,
                                          const Mat<Real, D>& F) {
    const Real J = determinant(F);
    return params.bulk_modulus * ((J - 1 - power_growth(params, J - 1)) / J) * cofactor(F);
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                       const Mat<Real, D>& F,
                                                       const Mat<Real, D>& dF) {
    const Mat<Real, D> C = cofactor(F);
    const Real J = determinant(F);
    const Real J_power = (1 + power_growth(params, J - 1)) / J;  // J^-gamma
    return params.bulk_modulus * (params.gamma * J_power / J * contract(C, dF) * C +
                                  (1 - J_power) * cofactor_differential(F, dF));
  }
};

// K = 0: no stress, and nothing kept.
struct Incompressible : WeaklyCompressible {
  static constexpr int kScalars = 0;
  using Law::kept_volume;
};

}  // namespace firn
