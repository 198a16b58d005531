// The rotation of the polar decomposition F = R S: the nearest rotation to F, also where det F <=
// 0. Three dimensions use Newton's iteration with Higham's scaling, several times cheaper than a
// singular value decomposition, which takes over for matrices near or beyond singularity; two
// dimensions have a closed form.
#pragma once

#include "kernels/math/svd.h"

namespace firn {

namespace polar_detail {

// Newton's iteration R <- (g R + (g R)^-T) / 2 where `regular`; other lanes go idle. Converges
// quadratically; Frobenius scaling g brings stretched matrices near a rotation first.
template <class T, class Mask>
FIRN_HD inline Mat<T, 3> newton(const Mat<T, 3>& F, const Mask& regular) {
  using Real = Scalar<T>;
  constexpr int max_iterations = 12;
  constexpr Real near_rotation = Real(0.1);  // |R|^2 - 3 below it: the scaling would change nothing
  constexpr Real converged = 4 * kEpsilon<T>;  // |step|^2 below it: the error left is |step|^2 / 2
  Mat<T, 3> R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = select(regular, F(i, j), T(i == j ? 1 : 0));
  auto open = regular;
  bool scaling = true;
  for (int k = 0; k < max_iterations && any(open); ++k) {
    const Mat<T, 3> C = cofactor(R);
    const T det = R(0, 0) * C(0, 0) + R(0, 1) * C(0, 1) + R(0, 2) * C(0, 2);
    T g = T(1);
    if (scaling) {
      const T size = contract(R, R);
      const auto far = abs(size - T(3)) > T(near_rotation);
      scaling = any(far);
      if (scaling) g = select(far, sqrt(sqrt(contract(C, C) / size) / det), T(1));
    }
    const T a = T(0.5f) * g, b = T(0.5f) / (g * det);
    T step = T(0);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const T next = a * R(i, j) + b * C(i, j);
        const T change = next - R(i, j);
        step = step + change * change;
        R(i, j) = select(open, next, R(i, j));
      }
    open = open && step > T(converged);
  }
  return R;
}

}  // namespace polar_detail

template <class T>
FIRN_HD inline Mat<T, 2> polar_rotation(const Mat<T, 2>& F) {
  // tr(R^T F) is largest for the angle of (F00 + F11, F10 - F01); any angle does where both vanish.
  const T scale =
      inverse_exponent(max(max(abs(F(0, 0)), abs(F(0, 1))), max(abs(F(1, 0)), abs(F(1, 1)))));
  const T x = F(0, 0) * scale + F(1, 1) * scale;
  const T y = F(1, 0) * scale - F(0, 1) * scale;
  const T length2 = x * x + y * y;
  const auto defined = length2 > T(kLeastNormal<T>);
  const T inverse_length = T(1) / sqrt(select(defined, length2, T(1)));
  const T c = select(defined, x * inverse_length, T(1));
  const T s = select(defined, y * inverse_length, T(0));
  return {{{c, -s}, {s, c}}};
}

template <class T>
FIRN_HD inline Mat<T, 3> polar_rotation(const Mat<T, 3>& F) {
  // Newton keeps its digits where det F is clear of zero (condition number below ~50) and neither
  // squares nor fourth powers of F leave the range of numbers. False for inverted and not-a-number
  // lanes too.
  using Real = Scalar<T>;
  const T size = contract(F, F) * T(Real(1) / 3);
  const auto regular = size > T(Real(1e-6)) && size < T(Real(1e6)) &&
                       determinant(F) > T(Real(0.04)) * size * sqrt(size);
  Mat<T, 3> R = polar_detail::newton(F, regular);
  if (all(regular)) return R;
  const Svd<T, 3> s = svd(F);
  const Mat<T, 3> UVt = s.U * transpose(s.V);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = select(regular, R(i, j), UVt(i, j));
  return R;
}

}  // namespace firn
