// A weakly compressible fluid, Cauchy pressure p = K (J^-gamma - 1). The particle carries only
// J - 1 (history[0]): shear is never remembered, and of volume a stiff fluid changes so little that
// J itself would have no digits for it. gamma = 1 with K = E is the fluid of the 88-line
// sample, tau = E (J - 1). It may bear no more than a limit of tension: beyond it opens, and closes
// again before its pressure returns.
#pragma once

#include "kernels/materials/params.h"
#include "kernels/materials/principal.h"
#include "kernels/math/generic_scalar.h"

namespace firn {

struct WeaklyCompressible : Law {
  static constexpr bool kDeforms = false;
  static constexpr bool kFlowsOn = true;
  static constexpr int kScalars = 1;

  template <int D, class T>
  FIRN_HD static T kept_volume(const T* history) {
    return T(1) + history[0];
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

  // Of a volume that has grown as far as the tension does, and of one that has opened beyond.
  template <class T>
  struct Volume {
    T borne, opened;  // J - 1 = borne + opened
    T power;          // power_growth of `borne`
  };
  template <class T>
  FIRN_HD static Volume<T> volume(const MaterialParams<Scalar<T>>& params, const T& growth) {
    const T borne = min(growth, T(params.cavitates));
    return {borne, growth - borne, power_growth(params, borne)};
  }
  template <class T>
  FIRN_HD static T energy(const MaterialParams<Scalar<T>>& params, const Volume<T>& v) {
    return energy_of_volume(params, v.borne, v.power) + T(params.tension_limit) * v.opened;
  }
  // Kirchhoff's
  template <class T>
  FIRN_HD static T tension(const MaterialParams<Scalar<T>>& params, const Volume<T>& v) {
    return T(params.bulk_modulus) * (v.borne - v.power) + T(params.tension_limit) * v.opened;
  }

  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        const MaterialState<T, D>& state) {
    const Volume<T> v = volume(params, state.history[0]);
    Response<T, D> r;
    r.tau = Mat<T, D>::scaled_identity(tension(params, v));
    r.psi = energy(params, v);
    // J^2 psi''(J); of what is open that of the moment at which it closes.
    r.wave_modulus = T(params.bulk_modulus * params.gamma) * (T(1) + v.power);
    return r;
  }

  template <class T, int D>
  FIRN_HD static T elastic_energy(const MaterialParams<Scalar<T>>& params,
                                  const MaterialState<T, D>& state) {
    return energy(params, volume(params, state.history[0]));
  }

  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> principal_stress(const MaterialParams<Scalar<T>>& params,
                                                        const Vec<T, D>& sigma) {
    T J = sigma[0];
    for (int i = 1; i < D; ++i) J = J * sigma[i];
    const Volume<T> v = volume(params, J - T(1));
    const T power = (T(1) + v.power) / J;  // J^-gamma
    const T curvature = T(params.bulk_modulus * params.gamma) * power / J;
    auto r = quadratic_principal_stress<T, D>(sigma, T(0), 0);
    add_energy_of_volume(sigma, energy(params, v), tension(params, v) / J,
                         select(v.opened > T(0), T(0), curvature), r);
    return r;
  }

  // The elastic law seen as a function of F, for solvers that move F: J = det F.
  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola(const MaterialParams<Real>& params,
                                          const Mat<Real, D>& F) {
    const Real J = determinant(F);
    return (tension(params, volume(params, J - 1)) / J) * cofactor(F);
  }

  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                       const Mat<Real, D>& F,
                                                       const Mat<Real, D>& dF) {
    const Mat<Real, D> C = cofactor(F);
    const Real J = determinant(F);
    const Volume<Real> v = volume(params, J - 1);
    const Real curvature =
        v.opened > 0 ? 0 : params.bulk_modulus * params.gamma * (1 + v.power) / (J * J);
    return curvature * contract(C, dF) * C + tension(params, v) / J * cofactor_differential(F, dF);
  }
};

// K = 0: no stress, and nothing kept.
struct Incompressible : WeaklyCompressible {
  static constexpr int kScalars = 0;
  using Law::kept_volume;
};

}  // namespace firn
