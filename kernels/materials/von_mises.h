// Metal-like flow at constant volume: Hencky elasticity with |dev tau| <= sqrt(2/3) sigma_Y, radial
// return, and optional linear hardening of the uniaxial yield stress with the equivalent plastic
// strain (softening if negative). In 2D this is plane strain.
#pragma once

#include "kernels/materials/spatial_hencky.h"

namespace firn {

struct VonMises : SpatialHencky<1> {
  // Flow keeps volume: what it takes across the plane it gives in it.
  template <int D, class T>
  FIRN_HD static T kept_volume(const T* history) {
    if constexpr (D == 2)
      return exp(history[1]);
    else
      return T(1);
  }

  // Returns the strain to the yield surface; yields the mask of lanes whose strain changed. With
  // hardening H the slip solves |dev e| - slip = sqrt(2/3) (sigma_Y + H (p + sqrt(2/3) slip)) / (2
  // mu).
  template <class T>
  FIRN_HD static auto project(const MaterialParams<Scalar<T>>& params, Vec<T, 3>& strain,
                              T& plastic_strain) {
    using Real = Scalar<T>;
    constexpr Real root = Real(0.81649658092772603);  // sqrt(2/3)
    const T mean = sum(strain) * T(Real(1) / 3);
    Vec<T, 3> dev;
    for (int i = 0; i < 3; ++i) dev[i] = strain[i] - mean;
    const T length = norm(dev);
    const T yield_stress = max(T(params.yield_stress) + T(params.hardening) * plastic_strain, T(0));
    const T excess = length - yield_stress * T(root / (2 * params.mu));
    const auto yields = excess > T(0);
    const T slip = min(excess * T(3 * params.mu / (3 * params.mu + params.hardening)), length);
    const T shrink = slip / max(length, T(kLeastNormal<Real>));
    for (int i = 0; i < 3; ++i) strain[i] = select(yields, strain[i] - shrink * dev[i], strain[i]);
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
    return bounded_stress(params, sigma, in_space(state, e),
                          yield_stress * T(root / (2 * params.mu)), max(Real(1) - soft, Real(0)),
                          T(0) > T(1));
  }

  template <class T, int D>
  FIRN_HD static Response<T, D> respond(const MaterialParams<Scalar<T>>& params,
                                        MaterialState<T, D>& state) {
    return respond_with(params, state,
                        [&](Vec<T, 3>& e) { return project(params, e, state.history[0]); });
  }
};

}  // namespace firn
