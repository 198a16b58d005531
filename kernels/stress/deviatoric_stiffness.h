// The derivative of the deviatoric stress in the form that needs no singular values: everything is
// said by the left stretch V of J^(-1/d) F = V R.
#pragma once

#include "kernels/math/mat.h"

namespace firn {

// The rate at which V's axes turn: Omega with V Omega + Omega V = N, N skew.
template <class T>
FIRN_HD inline Mat<T, 2> stretch_spin(const Mat<T, 2>& V, const Mat<T, 2>& N) {
  return N * (T(1) / trace(V));
}
template <class T>
FIRN_HD inline Mat<T, 3> stretch_spin(const Mat<T, 3>& V, const Mat<T, 3>& N) {
  // Of axial vectors: (tr V I - V) omega = n.
  const Vec<T, 3> w =
      inverse(Mat<T, 3>::scaled_identity(trace(V)) - V) * Vec<T, 3>{{N(2, 1), N(0, 2), N(1, 0)}};
  Mat<T, 3> spin = Mat<T, 3>::zero();
  spin(2, 1) = w[0], spin(1, 2) = T(0) - w[0];
  spin(0, 2) = w[1], spin(2, 0) = T(0) - w[1];
  spin(1, 0) = w[2], spin(0, 1) = T(0) - w[2];
  return spin;
}

template <class T, int D>
FIRN_HD inline Mat<T, D> without_trace(Mat<T, D> a) {
  const T mean = trace(a) * T(Scalar<T>(1) / D);
  for (int i = 0; i < D; ++i) a(i, i) = a(i, i) - mean;
  return a;
}

// tau / (2 mu) of psi = mu |V - I|^2, in which J has no part.
template <class T, int D>
FIRN_HD inline Mat<T, D> shear_stress(const Mat<T, D>& V) {
  return without_trace(V * V - V);
}

// dP F^T / (2 mu) for dF = A F: symmetric as a form, contract(B, K(A)) = contract(A, K(B)).
template <class T, int D>
FIRN_HD inline Mat<T, D> deviatoric_differential(const Mat<T, D>& V, const Mat<T, D>& A) {
  const Mat<T, D> AV = without_trace(A) * V;
  const Mat<T, D> dV = AV - V * stretch_spin(V, AV - transpose(AV));
  const Mat<T, D> VdV = V * dV;
  return without_trace(VdV + transpose(VdV) - dV) - shear_stress(V) * transpose(A);
}

}  // namespace firn
