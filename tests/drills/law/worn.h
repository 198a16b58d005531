// A law that keeps a tensor: fixed corotated elasticity that softens with the largest strain it has
// seen, psi / (1 + |M|^2) with M_ab the largest |V_ab - delta_ab| so far.
#pragma once

#include "kernels/materials/fixed_corotated.h"

namespace firn {

struct Worn : Law {
  static constexpr bool kForbidsInversion = false;
  static constexpr int kTensors = 1;  // I + M

  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        MaterialState<T, D>& state) {
    const Mat<T, D> R = polar_rotation(state.F);
    const Mat<T, D> E = symmetric_product(state.F - R, R);
    for (int a = 0, k = 0; a < D; ++a)
      for (int b = a; b < D; ++b, ++k)
        state.history[k] = max(state.history[k], abs(E(a, b)) + T(a == b ? 1 : 0));
    Response<T, D> r = FixedCorotated::respond(params, state.F);
    r.tau = r.tau * left(state);
    r.psi = r.psi * left(state);
    r.wave_modulus = r.wave_modulus * left(state);
    return r;
  }
  template <class T, int D>
  FIRN_HD static T elastic_energy(const MaterialParams<Scalar<T>>& params,
                                  const MaterialState<T, D>& state) {
    return FixedCorotated::elastic_energy(params, state.F) * left(state);
  }
  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola(const MaterialParams<Real>& params,
                                          const MaterialState<Real, D>& state) {
    return FixedCorotated::first_piola(params, state.F) * left(state);
  }
  template <class Real, int D>
  FIRN_HD static Mat<Real, D> first_piola_differential(const MaterialParams<Real>& params,
                                                       const MaterialState<Real, D>& state,
                                                       const Mat<Real, D>& dF) {
    return FixedCorotated::first_piola_differential(params, state.F, dF) * left(state);
  }

  // Of the stiffness.
  template <class T, int D>
  FIRN_HD static T left(const MaterialState<T, D>& state) {
    T square = T(0);
    for (int a = 0, k = 0; a < D; ++a)
      for (int b = a; b < D; ++b, ++k) {
        const T M = state.history[k] - T(a == b ? 1 : 0);
        square = square + T(a == b ? 1 : 2) * M * M;
      }
    return T(1) / (T(1) + square);
  }
};

}  // namespace firn
