// Fixed-size vectors on a generic scalar: `T` is float, double, or a SIMD pack of either.
#pragma once

#include "kernels/math/scalar.h"

namespace firn {

template <class T, int N>
struct Vec {
  T v[N];

  FIRN_HD constexpr T& operator[](int i) { return v[i]; }
  FIRN_HD constexpr const T& operator[](int i) const { return v[i]; }

  FIRN_HD static Vec filled(T value) {
    Vec r;
    for (int i = 0; i < N; ++i) r.v[i] = value;
    return r;
  }
  FIRN_HD static Vec zero() { return filled(T(0)); }

  FIRN_HD Vec& operator+=(const Vec& b) {
    for (int i = 0; i < N; ++i) v[i] = v[i] + b.v[i];
    return *this;
  }
  FIRN_HD Vec& operator-=(const Vec& b) {
    for (int i = 0; i < N; ++i) v[i] = v[i] - b.v[i];
    return *this;
  }
  FIRN_HD Vec& operator*=(const T& s) {
    for (int i = 0; i < N; ++i) v[i] = v[i] * s;
    return *this;
  }
  FIRN_HD friend Vec operator+(Vec a, const Vec& b) { return a += b; }
  FIRN_HD friend Vec operator-(Vec a, const Vec& b) { return a -= b; }
  FIRN_HD friend Vec operator*(Vec a, const T& s) { return a *= s; }
  FIRN_HD friend Vec operator*(const T& s, Vec a) { return a *= s; }
  FIRN_HD friend Vec operator-(const Vec& a) {
    Vec r;
    for (int i = 0; i < N; ++i) r.v[i] = -a.v[i];
    return r;
  }
};

template <class T, int N>
FIRN_HD inline T dot(const Vec<T, N>& a, const Vec<T, N>& b) {
  T s = a[0] * b[0];
  for (int i = 1; i < N; ++i) s = s + a[i] * b[i];
  return s;
}
template <class T, int N>
FIRN_HD inline T norm_squared(const Vec<T, N>& a) {
  return dot(a, a);
}
template <class T, int N>
FIRN_HD inline T norm(const Vec<T, N>& a) {
  return sqrt(dot(a, a));
}
template <class T>
FIRN_HD inline Vec<T, 3> cross(const Vec<T, 3>& a, const Vec<T, 3>& b) {
  return {{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}};
}

}  // namespace firn
