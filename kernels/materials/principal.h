// What several constitutive laws share: differentials of the cofactor and of the polar rotation,
// the differential of a stress given in principal axes, a cheap bound on the size of a symmetric
// matrix, and logarithms and powers of what is next to one.
#pragma once

#include "kernels/math/generic_scalar.h"
#include "kernels/math/svd.h"

namespace firn {

// Upper bound of the spectral norm of a symmetric matrix: its largest absolute row sum
// (Gershgorin), at most sqrt(D) too large and exact for multiples of the identity.
template <class T, int D>
FIRN_HD inline T spectral_bound(const Mat<T, D>& S) {
  T bound = T(0);
  for (int i = 0; i < D; ++i) {
    T row = T(0);
    for (int j = 0; j < D; ++j) row = row + abs(S(i, j));
    bound = max(bound, row);
  }
  return bound;
}

// ln(1 + x) and e^x - 1 with all digits of small x (Kahan): the error of 1 + x, and that of e^x,
// cancel in the quotients.
template <class T>
FIRN_HD inline T log_one_plus(const T& x) {
  const T sum = x + T(1), rest = sum - T(1);
  return select(rest == T(0), x, log(sum) * x / select(rest == T(0), T(1), rest));
}
template <class T>
FIRN_HD inline T exp_minus_one(const T& x) {
  const T power = exp(x), rest = power - T(1), back = log(power);
  const auto tiny = rest == T(0);
  // Where e^x is zero its logarithm is not x.
  return select(tiny, x,
                select(power > T(kLeastNormal<T>), rest * x / select(tiny, T(1), back), rest));
}

// A B^T where it is known to be symmetric: only one triangle is computed.
template <class T, int D>
FIRN_HD inline Mat<T, D> symmetric_product(const Mat<T, D>& A, const Mat<T, D>& B) {
  Mat<T, D> r;
  for (int i = 0; i < D; ++i)
    for (int j = i; j < D; ++j) {
      T s = A(i, 0) * B(j, 0);
      for (int k = 1; k < D; ++k) s = s + A(i, k) * B(j, k);
      r(i, j) = r(j, i) = s;
    }
  return r;
}

// U diag(d) U^T, the symmetric tensor with these principal axes and values.
template <class T, int D>
FIRN_HD inline Mat<T, D> from_principal(const Mat<T, D>& U, const Vec<T, D>& d) {
  Mat<T, D> scaled = U;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) scaled(i, j) = scaled(i, j) * d[j];
  return symmetric_product(scaled, U);
}

// d/dt cofactor(F + t dF) at t = 0. Linear in F in 2D; bilinear in (F, dF) in 3D.
template <class Real>
FIRN_HD inline Mat<Real, 2> cofactor_differential(const Mat<Real, 2>&, const Mat<Real, 2>& dF) {
  return cofactor(dF);
}
template <class Real>
FIRN_HD inline Mat<Real, 3> cofactor_differential(const Mat<Real, 3>& F, const Mat<Real, 3>& dF) {
  // The cofactor is quadratic, so the central difference over a whole step of dF is exact.
  return Real(0.5) * (cofactor(F + dF) - cofactor(F - dF));
}

// d/dt of the polar rotation: U W V^T with W antisymmetric, W_ij = (M_ij - M_ji) / (s_i + s_j), M =
// U^T dF V. Undefined where s_i + s_j = 0 (an inversion of equal singular values); the floor keeps
// it finite there.
template <class Real, int D>
FIRN_HD inline Mat<Real, D> polar_differential(const Svd<Real, D>& s, const Mat<Real, D>& dF) {
  const Mat<Real, D> M = transpose(s.U) * dF * s.V;
  const Real floor = 4 * kEpsilon<Real> * abs(s.sigma[0]) + kLeastNormal<Real>;
  Mat<Real, D> W = Mat<Real, D>::zero();
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j)
      if (i != j) W(i, j) = (M(i, j) - M(j, i)) / max(s.sigma[i] + s.sigma[j], floor);
  return s.U * W * transpose(s.V);
}

// An isotropic law in principal axes: the energy as a function of the singular values s, the
// principal values of the first Piola-Kirchhoff stress, and what its differential needs: their
// derivatives, and the quotients of differences and sums, which only the law itself can give
// without cancellation. Both are symmetric, and their diagonals are not read.
template <class T, int D>
struct PrincipalStress {
  T psi;  // energy per rest volume, Pa
  Vec<T, D> P;
  Mat<T, D> dP;          // dP_i / ds_j
  Mat<T, D> difference;  // (P_i - P_j) / (s_i - s_j)
  Mat<T, D> sum;         // (P_i + P_j) / (s_i + s_j)
};

// Of k sum_i (s_i - rest)^2 / 2, rest being 0 or 1: the part of many laws beside that of volume.
template <class T, int D>
FIRN_HD inline PrincipalStress<T, D> quadratic_principal_stress(const Vec<T, D>& s, const T& k,
                                                                Scalar<T> rest) {
  PrincipalStress<T, D> r;
  r.psi = T(0);
  for (int i = 0; i < D; ++i) {
    const T e = s[i] - T(rest);
    r.psi = r.psi + T(0.5f) * k * e * e;
    r.P[i] = k * e;
    for (int j = 0; j < D; ++j) {
      r.dP(i, j) = i == j ? k : T(0);
      r.difference(i, j) = k;
      // Far beyond inversion s_i + s_j vanishes; what is left is a large negative number.
      r.sum(i, j) = k - T(2 * rest) * k / max(s[i] + s[j], T(kEpsilon<T>));
    }
  }
  return r;
}

// Adds f(J), of which f, f' and f'' at J = s_1 ... s_d are given.
template <class T, int D>
FIRN_HD inline void add_energy_of_volume(const Vec<T, D>& s, const T& f, const T& slope,
                                         const T& curvature, PrincipalStress<T, D>& r) {
  Vec<T, D> others;  // dJ / ds_i
  for (int i = 0; i < D; ++i) {
    others[i] = T(1);
    for (int k = 0; k < D; ++k)
      if (k != i) others[i] = others[i] * s[k];
  }
  r.psi = r.psi + f;
  for (int i = 0; i < D; ++i) {
    r.P[i] = r.P[i] + slope * others[i];
    for (int j = 0; j < D; ++j) {
      r.dP(i, j) = r.dP(i, j) + curvature * others[i] * others[j];
      if (i == j) continue;
      const T mixed = slope * (D == 2 ? T(1) : s[(3 - i - j) % D]);  // slope d^2 J / ds_i ds_j
      r.dP(i, j) = r.dP(i, j) + mixed;
      r.difference(i, j) = r.difference(i, j) - mixed;
      r.sum(i, j) = r.sum(i, j) + mixed;
    }
  }
}

template <class Real, int D>
FIRN_HD inline Mat<Real, D> principal_differential(const Svd<Real, D>& s,
                                                   const PrincipalStress<Real, D>& law,
                                                   const Mat<Real, D>& dF) {
  const Mat<Real, D> M = transpose(s.U) * dF * s.V;
  Mat<Real, D> K = Mat<Real, D>::zero();
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) {
      K(i, i) += law.dP(i, j) * M(j, j);
      if (i == j) continue;
      // The symmetric part of the shear sees the difference quotient, the antisymmetric one the sum
      // quotient.
      K(i, j) += Real(0.5) *
                 (law.difference(i, j) * (M(i, j) + M(j, i)) + law.sum(i, j) * (M(i, j) - M(j, i)));
    }
  return s.U * K * transpose(s.V);
}

}  // namespace firn
