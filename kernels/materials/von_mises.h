// Metal-like flow at constant volume: Hencky elasticity with |dev tau| <= sqrt(2/3) sigma_Y, radial
// return, and optional linear hardening of the uniaxial yield stress with the equivalent plastic
// strain (softening if negative).
#pragma once

#include "kernels/materials/stvk_hencky.h"

namespace firn {

struct VonMises : StvkHencky {
  static constexpr int kScalars = 1;

  // Returns the strain to the yield surface; yields the mask of lanes whose strain changed. With
  // hardening H the slip solves |dev e| - slip = sqrt(2/3) (sigma_Y + H (p + sqrt(2/3) slip)) / (2
  // mu).
  template <class T, int D>
  FIRN_HD static auto project(const MaterialParams<Scalar<T>>& params, Vec<T, D>& strain,
                              T& plastic_strain) {
    using Real = Scalar<T>;
    constexpr Real root = Real(0.81649658092772603);  // sqrt(2/3)
    const T mean = sum(strain) * T(Real(1) / D);
    Vec<T, D> dev;
    for (int i = 0; i < D; ++i) dev[i] = strain[i] - mean;
    const T length = norm(dev);
    const T yield_stress = max(T(params.yield_stress) + T(params.hardening) * plastic_strain, T(0));
    const T excess = length - yield_stress * T(root / (2 * params.mu));
    const auto yields = excess > T(0);
    const T slip = min(excess * T(3 * params.mu / (3 * params.mu + params.hardening)), length);
    const T shrink = slip / max(length, T(kLeastNormal<Real>));
    for (int i = 0; i < D; ++i) strain[i] = select(yields, strain[i] - shrink * dev[i], strain[i]);
    plastic_strain = select(yields, plastic_strain + T(root) * slip, plastic_strain);
    return yields;
  }

  // Radial return has a potential, in the strain of the step's end.
  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> flowing_stress(const MaterialParams<Scalar<T>>& params,
                                                      const MaterialState<T, D>& state,
                                                      const Vec<T, D>& sigma) {
    using Real = Scalar<T>;
    constexpr Real root = Real(0.81649658092772603);  // sqrt(2/3)
    Vec<T, D> e;
    for (int i = 0; i < D; ++i) e[i] = log(sigma[i]);
    const T yield_stress =
        max(T(params.yield_stress) + T(params.hardening) * state.history[0], T(0));
    const Real soft = 3 * params.mu / (3 * params.mu + params.hardening);
    return bounded_stress(params, sigma, e, yield_stress * T(root / (2 * params.mu)),
                          max(Real(1) - soft, Real(0)), T(0) > T(1));
  }

  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        MaterialState<T, D>& state) {
    const Svd<T, D> s = svd(state.F);
    Vec<T, D> strain = hencky_strain(s);
    const auto changed = project(params, strain, state.history[0]);
    store_strain(s, strain, changed, state.F);
    return respond_to_strain(params, s.U, strain);
  }
};

}  // namespace firn
