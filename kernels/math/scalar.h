// Scalar functions under one set of names, so that physics written on a generic `T` runs on float
// and double here and on a SIMD pack through math/pack.h. `Mask<T>` is bool for scalars. Write
// `select(mask, a, b)` where a lane may differ from its neighbour; a branch on `any(mask)` is
// allowed, a branch on a mask is not.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>

#include "kernels/base/host_device.h"

namespace firn {

template <std::floating_point T>
FIRN_HD inline T select(bool mask, T a, T b) {
  return mask ? a : b;
}
FIRN_HD inline bool any(bool mask) { return mask; }
FIRN_HD inline bool all(bool mask) { return mask; }

// The scalar that a generic T is made of: float for float and for a pack of floats.
template <class T>
struct ScalarOf {
  using type = T;
};
template <class T>
using Scalar = typename ScalarOf<T>::type;

template <class T>
inline constexpr Scalar<T> kEpsilon = std::numeric_limits<Scalar<T>>::epsilon();
template <class T>
inline constexpr Scalar<T> kLeastNormal = std::numeric_limits<Scalar<T>>::min();
template <class T>
inline constexpr Scalar<T> kLargest = std::numeric_limits<Scalar<T>>::max();

template <std::floating_point T>
FIRN_HD inline T sqrt(T x) {
  return std::sqrt(x);
}
template <std::floating_point T>
FIRN_HD inline T abs(T x) {
  return std::fabs(x);
}
template <std::floating_point T>
FIRN_HD inline T exp(T x) {
  return std::exp(x);
}
template <std::floating_point T>
FIRN_HD inline T log(T x) {
  return std::log(x);
}
// e^x - 1 and ln(1 + x), with all digits near x = 0.
template <std::floating_point T>
FIRN_HD inline T expm1(T x) {
  return std::expm1(x);
}
template <std::floating_point T>
FIRN_HD inline T log1p(T x) {
  return std::log1p(x);
}
template <std::floating_point T>
FIRN_HD inline T sin(T x) {
  return std::sin(x);
}
template <std::floating_point T>
FIRN_HD inline T pow(T x, T y) {
  return std::pow(x, y);
}
template <std::floating_point T>
FIRN_HD inline T min(T a, T b) {
  return b < a ? b : a;
}
template <std::floating_point T>
FIRN_HD inline T max(T a, T b) {
  return a < b ? b : a;
}
template <std::floating_point T>
FIRN_HD inline T floor(T x) {
  return std::floor(x);
}
template <std::floating_point T>
FIRN_HD inline bool is_finite(T x) {
  return abs(x) <= kLargest<T>;
}
template <class T>
FIRN_HD inline T clamp(T x, T lo, T hi) {
  return min(max(x, lo), hi);
}

// The exponent field of a floating-point type, in place, and the range of it that leaves both 2^e
// and 2^-e normal.
template <class Real>
struct ExponentField;
template <>
struct ExponentField<float> {
  using Int = std::uint32_t;
  static constexpr Int kMask = Int(0xff) << 23, kLeast = Int(1) << 23, kMost = Int(0xfd) << 23;
};
template <>
struct ExponentField<double> {
  using Int = std::uint64_t;
  static constexpr Int kMask = Int(0x7ff) << 52, kLeast = Int(1) << 52, kMost = Int(0x7fd) << 52;
};

// 2^-e for |x| in [2^e, 2^(e+1)): multiplying by it scales x to [1, 2) without rounding. The result
// and its reciprocal are normal numbers whatever x is (zero, subnormal, infinite), so that it can
// be undone exactly.
template <std::floating_point T>
FIRN_HD inline T inverse_exponent(T x) {
  using Limits = ExponentField<T>;
  typename Limits::Int bits;
  std::memcpy(&bits, &x, sizeof(T));
  bits &= Limits::kMask;
  bits = bits < Limits::kLeast ? Limits::kLeast : bits;
  bits = bits > Limits::kMost ? Limits::kMost : bits;
  bits =
      Limits::kLeast + Limits::kMost - bits;  // the fields of 2^e and 2^-e add up to twice the bias
  std::memcpy(&x, &bits, sizeof(T));
  return x;
}

// The distance to the next larger number for x > 0, and of -x for x < 0; 0 for subnormal numbers.
template <std::floating_point T>
FIRN_HD inline T last_place(T x) {
  typename ExponentField<T>::Int bits;
  std::memcpy(&bits, &x, sizeof(T));
  bits &= ExponentField<T>::kMask;
  std::memcpy(&x, &bits, sizeof(T));
  return x * kEpsilon<T>;
}

}  // namespace firn
