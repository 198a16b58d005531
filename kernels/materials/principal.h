// What several constitutive laws share: differentials of the cofactor and of the polar rotation,
// the differential of a stress given in principal axes, and a cheap bound on the size of a
// symmetric matrix.
#pragma once

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

// An isotropic first Piola-Kirchhoff stress in principal axes, with what its differential needs:
// the principal values, their derivatives, and the divided differences (P_i - P_j) / (s_i - s_j),
// which only the law itself can give without cancellation.
template <class Real, int D>
struct PrincipalStress {
  Vec<Real, D> P;
  Mat<Real, D> dP;          // dP_i / ds_j
  Mat<Real, D> difference;  // symmetric; the diagonal is not read
};

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
      const Real sum = (law.P[i] + law.P[j]) / (s.sigma[i] + s.sigma[j]);
      K(i, j) +=
          Real(0.5) * (law.difference(i, j) * (M(i, j) + M(j, i)) + sum * (M(i, j) - M(j, i)));
    }
  return s.U * K * transpose(s.V);
}

}  // namespace firn
