// SIMD packs for the CPU backend: the same names as math/scalar.h, on std::experimental::simd. Never seen by
// nvcc, which cannot compile that header; the CUDA backend runs the same physics on one scalar per thread.
#pragma once

#include <experimental/simd>

#include "kernels/math/scalar.h"

namespace firn {

namespace stdx = std::experimental;

template <class Real>
using Pack = stdx::native_simd<Real>;

template <class T, class Abi>
struct ScalarOf<stdx::simd<T, Abi>> {
  using type = T;
};

template <class T, class Abi>
inline stdx::simd<T, Abi> select(const stdx::simd_mask<T, Abi>& mask, stdx::simd<T, Abi> a,
                                 stdx::simd<T, Abi> b) {
  stdx::where(mask, b) = a;
  return b;
}
template <class T, class Abi>
inline bool any(const stdx::simd_mask<T, Abi>& mask) {
  return stdx::any_of(mask);
}
template <class T, class Abi>
inline bool all(const stdx::simd_mask<T, Abi>& mask) {
  return stdx::all_of(mask);
}
template <class T, class Abi>
inline stdx::simd<T, Abi> sqrt(const stdx::simd<T, Abi>& x) {
  return stdx::sqrt(x);
}
template <class T, class Abi>
inline stdx::simd<T, Abi> abs(const stdx::simd<T, Abi>& x) {
  return stdx::abs(x);
}
template <class T, class Abi>
inline stdx::simd<T, Abi> exp(const stdx::simd<T, Abi>& x) {
  return stdx::exp(x);
}
template <class T, class Abi>
inline stdx::simd<T, Abi> log(const stdx::simd<T, Abi>& x) {
  return stdx::log(x);
}
template <class T, class Abi>
inline stdx::simd<T, Abi> pow(const stdx::simd<T, Abi>& x, const stdx::simd<T, Abi>& y) {
  return stdx::pow(x, y);
}
template <class T, class Abi>
inline stdx::simd<T, Abi> min(const stdx::simd<T, Abi>& a, const stdx::simd<T, Abi>& b) {
  return stdx::min(a, b);
}
template <class T, class Abi>
inline stdx::simd<T, Abi> max(const stdx::simd<T, Abi>& a, const stdx::simd<T, Abi>& b) {
  return stdx::max(a, b);
}
template <class T, class Abi>
inline stdx::simd<T, Abi> floor(const stdx::simd<T, Abi>& x) {
  return stdx::floor(x);
}
template <class T, class Abi>
inline stdx::simd_mask<T, Abi> is_finite(const stdx::simd<T, Abi>& x) {
  return stdx::abs(x) <= stdx::simd<T, Abi>(std::numeric_limits<T>::max());
}

}  // namespace firn
