// The inverse of a node's block, which preconditioners take: a symmetric matrix that is positive
// definite but for what sums in single precision did to it.
#pragma once

#include "kernels/math/mat.h"
#include "kernels/math/scalar.h"

namespace firn {

// (B + share * trace(B) I)^-1 from its factors L d L^T; of the diagonal alone where one of d is
// next to nothing or less. What moves freely beside something stiff has less than the last digits
// of B know, and would be pushed the wrong way. `share` is some epsilons of Real, which then holds
// the inverse as a definite one. The trace must be positive.
template <class Real, int D>
FIRN_HD inline Mat<Real, D> definite_inverse(const Mat<double, D>& B, double share) {
  const double scale = 1 / trace(B);  // small masses would underflow
  Mat<double, D> lower = Mat<double, D>::identity();
  Vec<double, D> pivot;
  bool definite = true;
  for (int j = 0; j < D; ++j) {
    pivot[j] = B(j, j) * scale + share;
    for (int k = 0; k < j; ++k) pivot[j] -= lower(j, k) * lower(j, k) * pivot[k];
    definite = definite && pivot[j] > 0.25 * share;
    for (int i = j + 1; i < D; ++i) {
      double rest = B(i, j) * scale;
      for (int k = 0; k < j; ++k) rest -= lower(i, k) * lower(j, k) * pivot[k];
      lower(i, j) = rest / pivot[j];
    }
  }
  Mat<double, D> inverse = Mat<double, D>::identity();  // of `lower`
  for (int j = 0; j < D; ++j) {
    if (!definite) {
      const double own = B(j, j) * scale;
      pivot[j] = own > share ? own : share;
      continue;
    }
    for (int i = j + 1; i < D; ++i) {
      inverse(i, j) = 0;
      for (int k = j; k < i; ++k) inverse(i, j) -= lower(i, k) * inverse(k, j);
    }
  }
  Mat<Real, D> result;
  for (int a = 0; a < D; ++a)
    for (int b = a; b < D; ++b) {
      double sum = 0;
      for (int k = b; k < D; ++k) sum += inverse(k, a) * inverse(k, b) / pivot[k];
      result(a, b) = result(b, a) = static_cast<Real>(sum * scale);
    }
  return result;
}

}  // namespace firn
