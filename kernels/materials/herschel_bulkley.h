// Fluids with a yield stress: Hencky elasticity whose shear stress S = |dev tau| / sqrt(2) flows
// beyond tau_Y at the rate ((S - tau_Y) / K)^(1/n), so that steady shear at the rate g has the
// stress tau_Y + K g^n [Herschel & Bulkley 1926]. Elastoviscoplastic like the foams of [Yue et al.
// 2015]. The step's end decides how fast it flows (backward Euler): any step is stable.
#pragma once

#include "kernels/materials/stvk_hencky.h"

namespace firn {

struct HerschelBulkley : StvkHencky {
  static constexpr bool kFlowsOn = true;
  static constexpr int kScalars = 1;

  // How a stress x beyond the yield stress is divided: `kept` + `lost` = 1, of which kept stays.
  template <class T>
  struct Parts {
    T kept, lost;
  };

  // X of X + a X^p = 1, p = 1/n: the share of x = S_trial - tau_Y > 0 that a step leaves, a = mu dt
  // / x (x / K)^p. Newton's method on a convex function, from the smaller of two upper bounds, in
  // the unknown in which the power is at least one.
  template <class T>
  FIRN_HD static Parts<T> divide(const MaterialParams<Scalar<T>>& params, const T& x,
                                 Scalar<T> dt) {
    using Real = Scalar<T>;
    const Real n = params.flow_index, p = 1 / n;
    const T log_a = log(T(params.mu * dt) / x) + T(p) * log(x / T(params.consistency));
    const bool thins = n <= Real(1);
    // z + b z^q = 1: z = X, q = p, b = a; or z = a X^p, q = n, b = a^-n.
    const Real q = thins ? p : n;
    const T log_b = thins ? log_a : T(-n) * log_a;
    T z = exp(min(log_b * T(-1 / q), T(0))), power = T(0);
    for (int i = 0; i < kIterations; ++i) {
      power = exp(log_b + T(q) * log(z));
      z = z * (T(1) + T(q - 1) * power) / (z + T(q) * power);
    }
    power = exp(log_b + T(q) * log(z));
    const T total = z + power;  // one, but for rounding
    return thins ? Parts<T>{z / total, power / total} : Parts<T>{power / total, z / total};
  }
  static constexpr int kIterations = 6;

  // A strain's deviator with its size as a shear stress.
  template <class T, int D>
  struct Shear {
    Vec<T, D> dev;
    T trace, length, stress;  // |dev|; S = sqrt(2) mu |dev|, Pa
  };
  template <class T, int D>
  FIRN_HD static Shear<T, D> shear_of(const MaterialParams<Scalar<T>>& params, const Vec<T, D>& e) {
    using Real = Scalar<T>;
    Shear<T, D> s;
    s.trace = sum(e);
    const T mean = s.trace * T(Real(1) / D);
    for (int i = 0; i < D; ++i) s.dev[i] = e[i] - mean;
    s.length = norm(s.dev);
    s.stress = s.length * T(kRootTwo<Real> * params.mu);
    return s;
  }
  template <class Real>
  static constexpr Real kRootTwo = Real(1.41421356237309505);

  template <class T, int D>
  FIRN_HD static Mat<T, D> relaxation(const MaterialParams<Scalar<T>>& params,
                                      MaterialState<T, D>& state) {
    if (!(state.dt > 0)) return Mat<T, D>::zero();
    const Svd<T, D> s = svd(state.F);
    const Shear<T, D> shear = shear_of(params, hencky_strain(s));
    const T beyond = shear.stress - T(params.yield_stress);
    const auto yields = beyond > T(0);
    const T lost =
        select(yields, beyond * divide(params, select(yields, beyond, T(1)), state.dt).lost, T(0));
    state.history[0] = state.history[0] + lost / T(params.mu);
    const T shrink = lost / select(yields, shear.stress, T(1));
    Vec<T, D> stretch;
    for (int i = 0; i < D; ++i) stretch[i] = exp_minus_one(-shrink * shear.dev[i]);
    return from_principal(s.U, stretch);
  }

  // Kachanov's secant: a fluid as viscous as at the rates of the guess.
  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> lagging_stress(const MaterialParams<Scalar<T>>& params,
                                                      const MaterialState<T, D>& state,
                                                      const Vec<T, D>& sigma,
                                                      const Vec<T, D>& guess) {
    Vec<T, D> e, there;
    for (int i = 0; i < D; ++i) e[i] = log(sigma[i]), there[i] = log(guess[i]);
    const Shear<T, D> shear = shear_of(params, e), flowing = shear_of(params, there);
    const T beyond = flowing.stress - T(params.yield_stress);
    const auto yields = beyond > T(0);
    const T x = select(yields, beyond, T(1));
    const T lost = select(yields, x * divide(params, x, state.dt).lost, T(0));
    const T share = T(1) - lost / select(yields, flowing.stress, T(1));
    const Radial<T> r{share * shear.length, share,
                      share * T(0.5f) * shear.stress * shear.stress / T(params.mu)};
    return radial_stress(params, sigma, shear.dev, shear.trace, shear.length, r, T(0) > T(1));
  }

  // Radial return has a potential: S^2 / (2 mu) below the yield stress, and with the work of flow
  // beyond it, (tau_Y^2/2 + tau_Y x + X' (X'/2 + (x - X') p / (p + 1))) / mu, X' = X x.
  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> flowing_stress(const MaterialParams<Scalar<T>>& params,
                                                      const MaterialState<T, D>& state,
                                                      const Vec<T, D>& sigma) {
    using Real = Scalar<T>;
    if (!(state.dt > 0)) return principal_stress(params, sigma);
    Vec<T, D> e;
    for (int i = 0; i < D; ++i) e[i] = log(sigma[i]);
    const Shear<T, D> shear = shear_of(params, e);
    const Real p = 1 / params.flow_index;
    const T yield(params.yield_stress);
    const T beyond = shear.stress - yield;
    const auto yields = beyond > T(0);
    const T x = select(yields, beyond, T(1));
    const Parts<T> part = divide(params, x, state.dt);
    const T left = x * part.kept, gone = x * part.lost;
    Radial<T> r;
    r.kept = select(yields, shear.length - gone / T(kRootTwo<Real> * params.mu), shear.length);
    r.tangent = select(yields, part.kept / (part.kept + T(p) * part.lost), T(1));
    r.energy = select(yields,
                      T(0.5f) * yield * yield + yield * x +
                          left * (T(0.5f) * left + gone * T(p / (p + 1))),
                      T(0.5f) * shear.stress * shear.stress) /
               T(params.mu);
    return radial_stress(params, sigma, shear.dev, shear.trace, shear.length, r, T(0) > T(1));
  }
};

}  // namespace firn
