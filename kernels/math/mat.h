// Fixed-size square matrices, row-major, on a generic scalar (see math/scalar.h). Not those of
// Eigen, whose inverse() compiles to a trap in device code.
#pragma once

#include "kernels/math/vec.h"

namespace firn {

template <class T, int N>
struct Mat {
  T m[N][N];

  FIRN_HD constexpr T& operator()(int i, int j) { return m[i][j]; }
  FIRN_HD constexpr const T& operator()(int i, int j) const { return m[i][j]; }

  FIRN_HD static Mat zero() {
    Mat r;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) r.m[i][j] = T(0);
    return r;
  }
  FIRN_HD static Mat scaled_identity(T s) {
    Mat r = zero();
    for (int i = 0; i < N; ++i) r.m[i][i] = s;
    return r;
  }
  FIRN_HD static Mat identity() { return scaled_identity(T(1)); }
  FIRN_HD static Mat diagonal(const Vec<T, N>& d) {
    Mat r = zero();
    for (int i = 0; i < N; ++i) r.m[i][i] = d[i];
    return r;
  }

  FIRN_HD Mat& operator+=(const Mat& b) {
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) m[i][j] = m[i][j] + b.m[i][j];
    return *this;
  }
  FIRN_HD Mat& operator-=(const Mat& b) {
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) m[i][j] = m[i][j] - b.m[i][j];
    return *this;
  }
  FIRN_HD Mat& operator*=(const T& s) {
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) m[i][j] = m[i][j] * s;
    return *this;
  }
  FIRN_HD friend Mat operator+(Mat a, const Mat& b) { return a += b; }
  FIRN_HD friend Mat operator-(Mat a, const Mat& b) { return a -= b; }
  FIRN_HD friend Mat operator*(Mat a, const T& s) { return a *= s; }
  FIRN_HD friend Mat operator*(const T& s, Mat a) { return a *= s; }
  FIRN_HD friend Mat operator*(const Mat& a, const Mat& b) {
    Mat r;
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) {
        T s = a.m[i][0] * b.m[0][j];
        for (int k = 1; k < N; ++k) s = s + a.m[i][k] * b.m[k][j];
        r.m[i][j] = s;
      }
    return r;
  }
  FIRN_HD friend Vec<T, N> operator*(const Mat& a, const Vec<T, N>& b) {
    Vec<T, N> r;
    for (int i = 0; i < N; ++i) {
      T s = a.m[i][0] * b[0];
      for (int k = 1; k < N; ++k) s = s + a.m[i][k] * b[k];
      r[i] = s;
    }
    return r;
  }
};

template <class T, int N>
FIRN_HD inline Mat<T, N> transpose(const Mat<T, N>& a) {
  Mat<T, N> r;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) r(i, j) = a(j, i);
  return r;
}
template <class T, int N>
FIRN_HD inline T trace(const Mat<T, N>& a) {
  T s = a(0, 0);
  for (int i = 1; i < N; ++i) s = s + a(i, i);
  return s;
}
// a : b = sum_ij a_ij b_ij
template <class T, int N>
FIRN_HD inline T contract(const Mat<T, N>& a, const Mat<T, N>& b) {
  T s = T(0);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) s = s + a(i, j) * b(i, j);
  return s;
}
template <class T, int N>
FIRN_HD inline Mat<T, N> outer(const Vec<T, N>& a, const Vec<T, N>& b) {
  Mat<T, N> r;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) r(i, j) = a[i] * b[j];
  return r;
}
template <class T>
FIRN_HD inline T determinant(const Mat<T, 2>& a) {
  return a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
}
template <class T>
FIRN_HD inline T determinant(const Mat<T, 3>& a) {
  return a(0, 0) * (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1)) -
         a(0, 1) * (a(1, 0) * a(2, 2) - a(1, 2) * a(2, 0)) +
         a(0, 2) * (a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0));
}
// det(I + a) - 1, with all digits where a is small.
template <class T>
FIRN_HD inline T determinant_growth(const Mat<T, 2>& a) {
  return a(0, 0) + a(1, 1) + determinant(a);
}
template <class T>
FIRN_HD inline T determinant_growth(const Mat<T, 3>& a) {
  return a(0, 0) + a(1, 1) + a(2, 2) +
         ((a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0)) + (a(0, 0) * a(2, 2) - a(0, 2) * a(2, 0)) +
          (a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1)) + determinant(a));
}
// cofactor(F) = J F^-T: finite where the inverse is not.
template <class T>
FIRN_HD inline Mat<T, 2> cofactor(const Mat<T, 2>& a) {
  return {{{a(1, 1), -a(1, 0)}, {-a(0, 1), a(0, 0)}}};
}
template <class T>
FIRN_HD inline Mat<T, 3> cofactor(const Mat<T, 3>& a) {
  return {{{a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1), a(1, 2) * a(2, 0) - a(1, 0) * a(2, 2),
            a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0)},
           {a(0, 2) * a(2, 1) - a(0, 1) * a(2, 2), a(0, 0) * a(2, 2) - a(0, 2) * a(2, 0),
            a(0, 1) * a(2, 0) - a(0, 0) * a(2, 1)},
           {a(0, 1) * a(1, 2) - a(0, 2) * a(1, 1), a(0, 2) * a(1, 0) - a(0, 0) * a(1, 2),
            a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0)}}};
}
template <class T, int N>
FIRN_HD inline Mat<T, N> inverse(const Mat<T, N>& a) {
  return transpose(cofactor(a)) * (T(1) / determinant(a));
}
template <class T, int N>
FIRN_HD inline Mat<T, N> symmetric_part(const Mat<T, N>& a) {
  Mat<T, N> r;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) r(i, j) = (a(i, j) + a(j, i)) * T(0.5f);
  return r;
}

}  // namespace firn
