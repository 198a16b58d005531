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
// Argument-dependent lookup finds these in their own namespace anyway; a wrapper here would make each call ambiguous.
using stdx::abs;
using stdx::exp;
using stdx::floor;
using stdx::log;
using stdx::max;
using stdx::min;
using stdx::pow;
using stdx::sin;
using stdx::sqrt;

// Lane by lane through memory: the compiler turns the loop into vector instructions.
template <class T, class Abi>
inline stdx::simd<T, Abi> inverse_exponent(const stdx::simd<T, Abi>& x) {
  T lanes[stdx::simd<T, Abi>::size()];
  x.copy_to(lanes, stdx::element_aligned);
  for (T& lane : lanes) lane = inverse_exponent(lane);
  return stdx::simd<T, Abi>(lanes, stdx::element_aligned);
}
template <class T, class Abi>
inline stdx::simd_mask<T, Abi> is_finite(const stdx::simd<T, Abi>& x) {
  return stdx::abs(x) <= stdx::simd<T, Abi>(std::numeric_limits<T>::max());
}

}  // namespace firn
