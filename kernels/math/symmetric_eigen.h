// Eigenvalues and eigenvectors of symmetric matrices of rank 2 and 3, for scalars and packs.
#pragma once

#include "kernels/math/generic_scalar.h"
#include "kernels/math/mat.h"

namespace firn {

// A = Q diag(lambda) Q^T of a symmetric A by cyclic Jacobi rotations.
template <class T, int D>
FIRN_HD inline void symmetric_eigen(Mat<T, D> A, Mat<T, D>& Q, Vec<T, D>& lambda) {
  using Real = Scalar<T>;
  Q = Mat<T, D>::identity();
  constexpr int kSweeps = D == 2 ? 1 : 5;  // convergence is quadratic
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (int p = 0; p < D; ++p)
      for (int q = p + 1; q < D; ++q) {
        const T off = A(p, q), half = T(0.5f) * (A(q, q) - A(p, p));
        const auto turns = off * off > T(kLeastNormal<Real>);  // so is w
        // tan of the smaller angle that makes A(p, q) vanish
        const T w = abs(half) + sqrt(half * half + off * off);
        const T t =
            select(turns, select(half < T(0), T(0) - off, off) / select(turns, w, T(1)), T(0));
        const T c = T(1) / sqrt(T(1) + t * t), s = t * c;
        for (int k = 0; k < D; ++k) {
          const T x = A(k, p), y = A(k, q);
          A(k, p) = c * x - s * y;
          A(k, q) = s * x + c * y;
        }
        for (int k = 0; k < D; ++k) {
          const T x = A(p, k), y = A(q, k);
          A(p, k) = c * x - s * y;
          A(q, k) = s * x + c * y;
          const T u = Q(k, p), v = Q(k, q);
          Q(k, p) = c * u - s * v;
          Q(k, q) = s * u + c * v;
        }
      }
  for (int i = 0; i < D; ++i) lambda[i] = A(i, i);
}

}  // namespace firn
