// Singular value decomposition of 2x2 and 3x3 matrices by one-sided Jacobi rotations and a Givens
// QR, branch-light on a generic scalar. Backward stable: the error is a few epsilons of |F| for
// every F of normal numbers, repeated and zero singular values, inverted, tiny and huge matrices
// included. Forming F^T F would lose half the digits.
#pragma once

#include "kernels/math/generic_scalar.h"
#include "kernels/math/mat.h"

namespace firn {

// F = U diag(sigma) V^T with det U = det V = 1 and sigma descending by magnitude (up to round-off);
// only the last singular value may be negative, and it is if and only if det F < 0.
template <class T, int D>
struct Svd {
  Mat<T, D> U;
  Vec<T, D> sigma;
  Mat<T, D> V;
};

namespace svd_detail {

// Cosine and sine of a rotation.
template <class T>
struct Rotation {
  T c, s;
};

// Columns p, q of A become c a_p - s a_q and s a_p + c a_q.
template <class T, int D>
FIRN_HD inline void rotate_columns(Mat<T, D>& A, int p, int q, const Rotation<T>& r) {
  for (int i = 0; i < D; ++i) {
    const T x = A(i, p), y = A(i, q);
    A(i, p) = r.c * x - r.s * y;
    A(i, q) = r.s * x + r.c * y;
  }
}

// Makes columns p and q of A = F V orthogonal. Lanes where they already are keep every bit, so that
// a lane's result does not depend on its neighbours in a pack. Columns count as orthogonal when
// what the QR would drop, at most |a_p . a_q| / max(|a_p|, |a_q|), is below two epsilons of |F|;
// `size` is |F|^2. Returns whether any lane rotated.
template <class T, int D>
FIRN_HD inline bool orthogonalize_columns(Mat<T, D>& A, Mat<T, D>& V, int p, int q, const T& size) {
  using Real = Scalar<T>;
  constexpr Real tolerance = 4 * kEpsilon<T> * kEpsilon<T>;
  constexpr Real negligible = 100 * kLeastNormal<Real>;  // below it, squares would underflow
  T pp = A(0, p) * A(0, p), qq = A(0, q) * A(0, q), pq = A(0, p) * A(0, q);
  for (int i = 1; i < D; ++i) {
    pp = pp + A(i, p) * A(i, p);
    qq = qq + A(i, q) * A(i, q);
    pq = pq + A(i, p) * A(i, q);
  }
  const auto active = pq * pq > T(tolerance) * size * max(pp, qq) + T(negligible);
  if (!any(active)) return false;
  // tan(2 theta) = 2 pq / (qq - pp), taken as the smaller of the two angles.
  const T half = T(0.5f) * (qq - pp);
  const T w = abs(half) + sqrt(half * half + pq * pq);
  const T scale = T(1) / sqrt(w * w + pq * pq);
  const T sine = select(half < T(0), -pq, pq) * scale;
  const Rotation<T> r = {select(active, w * scale, T(1)), select(active, sine, T(0))};
  rotate_columns(A, p, q, r);
  rotate_columns(V, p, q, r);
  return true;
}

// One Newton step towards the nearest rotation, V (3 I - V^T V) / 2: removes the drift of the
// accumulated products.
template <class T, int D>
FIRN_HD inline Mat<T, D> reorthonormalize(const Mat<T, D>& V) {
  return V * (Mat<T, D>::scaled_identity(T(1.5f)) - T(0.5f) * (transpose(V) * V));
}

// Swaps columns p and q, one of them negated so that V stays a rotation, where column q of A is the
// longer one.
template <class T, int D>
FIRN_HD inline void order_columns(Mat<T, D>& V, Vec<T, D>& lengths, int p, int q) {
  const auto swap = lengths[p] < lengths[q];
  const T lp = lengths[p];
  lengths[p] = select(swap, lengths[q], lengths[p]);
  lengths[q] = select(swap, lp, lengths[q]);
  for (int i = 0; i < D; ++i) {
    const T vp = V(i, p);
    V(i, p) = select(swap, V(i, q), vp);
    V(i, q) = select(swap, -vp, V(i, q));
  }
}

template <class T, int D>
FIRN_HD inline void sort_columns(const Mat<T, D>& A, Mat<T, D>& V) {
  Vec<T, D> lengths = Vec<T, D>::zero();
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) lengths[j] = lengths[j] + A(i, j) * A(i, j);
  order_columns(V, lengths, 0, 1);
  if constexpr (D == 3) {
    order_columns(V, lengths, 0, 2);
    order_columns(V, lengths, 1, 2);
  }
}

// Rotates rows p and q of B so that B(q, p) vanishes and B(p, p) >= 0, and columns p and q of U by
// the same angle.
template <class T, int D>
FIRN_HD inline void eliminate(Mat<T, D>& B, Mat<T, D>& U, int p, int q) {
  const T length2 = B(p, p) * B(p, p) + B(q, p) * B(q, p);
  const auto usable = length2 > T(kLeastNormal<T>);
  const T scale = T(1) / sqrt(select(usable, length2, T(1)));
  const Rotation<T> r = {select(usable, B(p, p) * scale, T(1)),
                         select(usable, -B(q, p) * scale, T(0))};
  for (int j = 0; j < D; ++j) {
    const T x = B(p, j), y = B(q, j);
    B(p, j) = r.c * x - r.s * y;
    B(q, j) = r.s * x + r.c * y;
  }
  rotate_columns(U, p, q, r);
}

}  // namespace svd_detail

template <class T, int D>
FIRN_HD inline Svd<T, D> svd(const Mat<T, D>& F) {
  using namespace svd_detail;
  T largest = abs(F(0, 0));
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) largest = max(largest, abs(F(i, j)));
  const T scale = inverse_exponent(largest);
  const Mat<T, D> A0 = F * scale;

  Svd<T, D> r;
  Mat<T, D> A = A0;
  r.V = Mat<T, D>::identity();
  const T size = contract(A, A);
  constexpr int max_sweeps = 6;  // convergence is quadratic: 3 or 4 are typical
  for (int sweep = 0; sweep < max_sweeps; ++sweep) {
    bool rotated = orthogonalize_columns(A, r.V, 0, 1, size);
    if constexpr (D == 3) {
      rotated |= orthogonalize_columns(A, r.V, 0, 2, size);
      rotated |= orthogonalize_columns(A, r.V, 1, 2, size);
    }
    if (!rotated) break;
  }
  sort_columns(A, r.V);
  r.V = reorthonormalize(r.V);

  // The columns of F V are orthogonal, so its triangular factor is diagonal, and Givens rotations
  // keep det U = 1.
  Mat<T, D> B = A0 * r.V;
  r.U = Mat<T, D>::identity();
  eliminate(B, r.U, 0, 1);
  if constexpr (D == 3) {
    eliminate(B, r.U, 0, 2);
    eliminate(B, r.U, 1, 2);
  }
  const T unscale = T(1) / scale;
  for (int i = 0; i < D; ++i) {
    const T length =
        i + 1 < D ? max(B(i, i), T(0)) : B(i, i);  // a column too short to rotate counts as zero
    r.sigma[i] = length * unscale;
  }
  return r;
}

// U diag(d) V^T, the way back from principal axes.
template <class T, int D>
FIRN_HD inline Mat<T, D> compose(const Mat<T, D>& U, const Vec<T, D>& d, const Mat<T, D>& V) {
  Mat<T, D> scaled = U;
  for (int i = 0; i < D; ++i)
    for (int j = 0; j < D; ++j) scaled(i, j) = scaled(i, j) * d[j];
  return scaled * transpose(V);
}

}  // namespace firn
