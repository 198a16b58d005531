// Quadratic elasticity in the logarithmic (Hencky) strain e = ln Sigma, psi = mu tr(e^2) + lambda/2
// tr(e)^2. Plastic flow is a shift of e, which is why sand and von Mises plasticity stand on it.
// Defined for J > 0 only. In 2D laws may name a strain `across` the plane (spatial_hencky.h).
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

  template <class T, int D, class... Across>
  FIRN_HD static T energy_of_strain(const MaterialParams<Scalar<T>>& params, const Vec<T, D>& e,
                                    const Across&... beside) {
    const T tr = (sum(e) + ... + beside);
    const T squares = (dot(e, e) + ... + (beside * beside));
    return T(params.mu) * squares + T(Scalar<T>(0.5f) * params.lambda) * tr * tr;
  }

  // Stress from the strain in the principal axes U of the Kirchhoff stress.
  template <class T, int D, class... Across>
  FIRN_HD static Response<T, D> respond_to_strain(const MaterialParams<Scalar<T>>& params,
                                                  const Mat<T, D>& U, const Vec<T, D>& e,
                                                  const Across&... beside) {
    const T mu(params.mu), lambda(params.lambda);
    const T pressure = lambda * (sum(e) + ... + beside);
    Vec<T, D> tau;
    T lo = e[0], hi = e[0];
    for (int i = 0; i < D; ++i) {
      tau[i] = T(2) * mu * e[i] + pressure;
      lo = min(lo, e[i]);
      hi = max(hi, e[i]);
    }
    Response<T, D> r;
    r.tau = from_principal(U, tau);
    r.psi = energy_of_strain(params, e, beside...);
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
  template <class T>
  FIRN_HD static T log_quotient(const T& a, const T& b) {
    using Real = Scalar<T>;
    const T z = (a - b) / (a + b);  // ln(a/b) = 2 artanh z = 2 (z + z^3/3 + z^5/5 + ...)
    const T z2 = z * z;
    const auto close = z2 < T(Real(1e-4));
    const T series = T(2) / (a + b) *
                     (T(1) + z2 * (T(Real(1) / 3) + z2 * (T(Real(1) / 5) + z2 * T(Real(1) / 7))));
    return select(close, series, log(a / b) / select(close, T(1), a - b));
  }

  template <class T, int D, class... Across>
  FIRN_HD static PrincipalStress<T, D> stress_of_stretch(const MaterialParams<Scalar<T>>& params,
                                                         const Vec<T, D>& sigma,
                                                         const Across&... beside) {
    const T mu(params.mu), lambda(params.lambda);
    Vec<T, D> e, tau;
    for (int i = 0; i < D; ++i) e[i] = log(sigma[i]);
    const T tr = (sum(e) + ... + beside);
    for (int i = 0; i < D; ++i) tau[i] = T(2) * mu * e[i] + lambda * tr;
    PrincipalStress<T, D> r;
    r.psi = energy_of_strain(params, e, beside...);
    for (int i = 0; i < D; ++i) {
      r.P[i] = tau[i] / sigma[i];
      for (int j = 0; j < D; ++j) {
        const T product = sigma[i] * sigma[j];
        r.dP(i, j) = (i == j ? lambda + T(2) * mu - tau[i] : lambda) / product;
        // Divided difference of tau/s: the quotient of tau, and that of 1/s.
        r.difference(i, j) =
            T(2) * mu * log_quotient(sigma[i], sigma[j]) / sigma[i] - tau[j] / product;
        r.sum(i, j) = (tau[i] / sigma[i] + tau[j] / sigma[j]) / (sigma[i] + sigma[j]);
      }
    }
    return r;
  }

  template <class T, int D>
  FIRN_HD static PrincipalStress<T, D> principal_stress(const MaterialParams<Scalar<T>>& params,
                                                        const Vec<T, D>& sigma) {
    return stress_of_stretch(params, sigma);
  }

  // What radial return leaves of a deviator of a given length.
  template <class T>
  struct Radial {
    T kept;     // its length
    T tangent;  // the derivative of that
    T energy;   // of the deviator and of the return, Pa
  };

  // Of a strain with this deviator and trace, of which radial return leaves `left`; what is `open`
  // has no pressure. The deviator may have an axis more than the stretches: that across the plane.
  template <class T, int D, int N, class Mask>
  FIRN_HD static PrincipalStress<T, D> radial_stress(const MaterialParams<Scalar<T>>& params,
                                                     const Vec<T, D>& sigma, const Vec<T, N>& dev,
                                                     const T& tr, const T& length,
                                                     const Radial<T>& left, const Mask& open) {
    using Real = Scalar<T>;
    const T share(Real(1) / N), two_mu(2 * params.mu);
    const T modulus = select(open, T(0), T(params.lambda) + two_mu * share);
    // tau = modulus tr I + secant dev
    const T secant =
        select(left.kept < length, two_mu * left.kept / max(length, T(kLeastNormal<Real>)), two_mu);
    const T tangent = two_mu * left.tangent;
    PrincipalStress<T, D> r;
    r.psi = T(0.5f) * modulus * tr * tr + left.energy;
    Vec<T, D> normal, tau;
    for (int i = 0; i < D; ++i) {
      normal[i] = dev[i] / max(length, T(kLeastNormal<Real>));
      tau[i] = modulus * tr + secant * dev[i];
    }
    for (int i = 0; i < D; ++i) {
      r.P[i] = tau[i] / sigma[i];
      for (int j = 0; j < D; ++j) {
        const T product = sigma[i] * sigma[j];
        T dtau = modulus - secant * share + (tangent - secant) * normal[i] * normal[j];
        if (i == j) dtau = dtau + secant - tau[i];
        r.dP(i, j) = dtau / product;
        r.difference(i, j) =
            secant * log_quotient(sigma[i], sigma[j]) / sigma[i] - tau[j] / product;
        r.sum(i, j) = (tau[i] / sigma[i] + tau[j] / sigma[j]) / (sigma[i] + sigma[j]);
      }
    }
    return r;
  }

  // Of strains e whose deviator may grow to `bound` (its norm) without flow, and beyond takes the
  // share `elastic` of what it grows by. The energy is that of the law, and beyond the bound the
  // work that returning to it takes.
  template <class T, int D, int N, class Mask>
  FIRN_HD static PrincipalStress<T, D> bounded_stress(const MaterialParams<Scalar<T>>& params,
                                                      const Vec<T, D>& sigma, const Vec<T, N>& e,
                                                      const T& bound, Scalar<T> elastic,
                                                      const Mask& open) {
    using Real = Scalar<T>;
    const T tr = sum(e);
    Vec<T, N> dev;
    for (int i = 0; i < N; ++i) dev[i] = e[i] - tr * T(Real(1) / N);
    const T length = norm(dev), over = max(length - bound, T(0)), within = length - over;
    Radial<T> left;
    left.kept = length - T(1 - elastic) * over;
    left.tangent = select(over > T(0), T(elastic), T(1));
    left.energy = T(params.mu) * (within * within + over * (T(2) * within + T(elastic) * over));
    return radial_stress(params, sigma, dev, tr, length, left, open);
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
