// SIMD packs for the CPU backend: the same names as math/scalar.h, on std::experimental::simd.
// Never seen by nvcc, which cannot compile that header; the CUDA backend runs the same physics on
// one scalar per thread.
#pragma once

// GCC 12 reports the deliberately undefined lanes inside its own AVX-512 intrinsics (GCC bug
// 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <experimental/simd>

// Masked assignment goes wrong there (clang 14: PackMath fails), without a word.
#if defined(__clang__) && defined(__AVX512F__)
#error "clang and libstdc++'s simd are wrong with AVX-512: configure with -DFIRN_MARCH=x86-64-v3"
#endif
#pragma GCC diagnostic pop

#include <cstdint>
#include <cstring>
#include <type_traits>

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
// Argument-dependent lookup finds these in their own namespace anyway; a wrapper here would make
// each call ambiguous.
using stdx::abs;
using stdx::exp;
using stdx::floor;
using stdx::log;
using stdx::pow;
using stdx::sin;
using stdx::sqrt;

// The lanes of a pack as plain vectors of the compiler, for work on their bits.
template <class Element, class P>
struct VectorOf {
  typedef Element type __attribute__((vector_size(sizeof(P))));
};
template <class Element, class P>
inline typename VectorOf<Element, P>::type to_vector(const P& x) {
  static_assert(std::is_trivially_copyable_v<P>);
  typename VectorOf<Element, P>::type v;
  std::memcpy(&v, &x, sizeof(P));
  return v;
}
template <class P, class Vector>
inline P from_vector(const Vector& v) {
  static_assert(sizeof(P) == sizeof(Vector));
  P x;
  std::memcpy(static_cast<void*>(&x), &v, sizeof(P));
  return x;
}

// Not the library's, which carry the attribute optimize("finite-math-only"): it would let a NaN
// vanish, and every function that they are inlined into stops inlining others (GCC 12). The
// constraint makes these the better match.
template <std::floating_point T, class Abi>
inline stdx::simd<T, Abi> min(const stdx::simd<T, Abi>& a, const stdx::simd<T, Abi>& b) {
  return select(b < a, b, a);
}
template <std::floating_point T, class Abi>
inline stdx::simd<T, Abi> max(const stdx::simd<T, Abi>& a, const stdx::simd<T, Abi>& b) {
  return select(a < b, b, a);
}
template <std::floating_point T, class Abi>
inline stdx::simd<T, Abi> clamp(const stdx::simd<T, Abi>& x, const stdx::simd<T, Abi>& lo,
                                const stdx::simd<T, Abi>& hi) {
  return min(max(x, lo), hi);
}

// Exponential and logarithm of float packs: the library evaluates them lane by lane. Branch-free,
// within 1.5 units in the last place over the normal numbers (tested); results below the smallest
// normal number become zero.

// e^x = 2^n (1 + rest) with |rest| < 0.42; 2^n in two factors, since n reaches 128 where e^x is
// still finite.
template <class P>
struct Exponential {
  P rest, low, high;
};
template <class Abi>
inline Exponential<stdx::simd<float, Abi>> exponential(const stdx::simd<float, Abi>& x) {
  using P = stdx::simd<float, Abi>;
  constexpr float kLn2Hi = 0.693359375f,
                  kLn2Lo = -2.12194440e-4f;  // kLn2Hi has 9 bits: n * kLn2Hi is exact
  const P n = stdx::floor(x * P(1.44269504f) + P(0.5f));
  const P r = (x - n * P(kLn2Hi)) - n * P(kLn2Lo);  // |r| <= ln(2) / 2
  P series = P(1.0f / 5040);                        // Taylor: the first term left out is 5e-9
  for (const float c : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f})
    series = series * r + P(c);
  // Not a number is hidden from the bit operations; the rest keeps it.
  using Ints = typename VectorOf<std::int32_t, P>::type;
  const P bounded = clamp(select(n == n, n, P(0.0f)), P(-126.0f), P(128.0f));
  const Ints whole = __builtin_convertvector(to_vector<float>(bounded), Ints), half = whole >> 1;
  return {r + r * r * series, from_vector<P>((half + 127) << 23),
          from_vector<P>((whole - half + 127) << 23)};
}
template <class Abi>
inline stdx::simd<float, Abi> exp(const stdx::simd<float, Abi>& x) {
  using P = stdx::simd<float, Abi>;
  const Exponential<P> e = exponential(x);
  P result = (P(1.0f) + e.rest) * e.low * e.high;
  result = select(x > P(88.7228394f), P(std::numeric_limits<float>::infinity()), result);
  result = select(x < P(-87.3365402f), P(0.0f), result);
  return select(x == x, result, x);
}
// Infinite from 88 on.
template <class Abi>
inline stdx::simd<float, Abi> expm1(const stdx::simd<float, Abi>& x) {
  using P = stdx::simd<float, Abi>;
  const Exponential<P> e = exponential(x);
  const P power = e.low * e.high;
  P result = e.rest * power + (power - P(1.0f));
  result = select(x > P(88.0f), P(std::numeric_limits<float>::infinity()), result);
  result = select(x < P(-87.3365402f), P(-1.0f), result);
  return select(x == x, result, x);
}

template <class Abi>
inline stdx::simd<float, Abi> log(const stdx::simd<float, Abi>& x) {
  using P = stdx::simd<float, Abi>;
  constexpr float kLn2Hi = 0.693359375f, kLn2Lo = -2.12194440e-4f;
  // x = 2^e m with m in [sqrt(1/2), sqrt(2)): shifting the bits by those of sqrt(1/2) makes the
  // exponent field count.
  using Ints = typename VectorOf<std::int32_t, P>::type;
  using Floats = typename VectorOf<float, P>::type;
  constexpr std::uint32_t kRootHalf = 0x3f3504f3;
  const auto shifted = to_vector<std::uint32_t>(x) - kRootHalf;
  const P e = from_vector<P>(__builtin_convertvector(Ints(shifted) >> 23, Floats));
  const P f = from_vector<P>((shifted & 0x007fffffu) + kRootHalf) - P(1.0f);
  // ln(1 + f) = f - (f^2/2 - s (f^2/2 + R)) with s = f / (2 + f) and R = 2 (s^2/3 + s^4/5 + ...):
  // the large term f is added last. The first term left out is 3e-9 of the result.
  const P s = f / (P(2.0f) + f), s2 = s * s, half = P(0.5f) * f * f;
  P R = P(2.0f / 9);
  for (const float c : {2.0f / 7, 2.0f / 5, 2.0f / 3, 0.0f}) R = R * s2 + P(c);
  P result = e * P(kLn2Hi) + (f - (half - (s * (half + R) + e * P(kLn2Lo))));
  result = select(x < P(std::numeric_limits<float>::min()),
                  P(-std::numeric_limits<float>::infinity()), result);
  result = select(x < P(0.0f), P(std::numeric_limits<float>::quiet_NaN()), result);
  return select(x <= P(std::numeric_limits<float>::max()), result,
                x);  // infinity and NaN are their own logarithm
}
// What 1 + x has rounded away comes back by the slope of the logarithm.
template <class Abi>
inline stdx::simd<float, Abi> log1p(const stdx::simd<float, Abi>& x) {
  using P = stdx::simd<float, Abi>;
  const P u = P(1.0f) + x;
  const P lost = x - (u - P(1.0f));
  const P result = log(u);
  return select(abs(result) <= P(std::numeric_limits<float>::max()), result + lost / u, result);
}

template <class T, class Abi>
inline stdx::simd<T, Abi> inverse_exponent(const stdx::simd<T, Abi>& x) {
  using P = stdx::simd<T, Abi>;
  using Limits = ExponentField<T>;
  auto bits = to_vector<typename Limits::Int>(x) & Limits::kMask;
  bits = bits < Limits::kLeast ? Limits::kLeast - (bits & 0) : bits;
  bits = bits > Limits::kMost ? Limits::kMost - (bits & 0) : bits;
  return from_vector<P>(Limits::kLeast + Limits::kMost - bits);
}
template <class T, class Abi>
inline stdx::simd<T, Abi> last_place(const stdx::simd<T, Abi>& x) {
  using P = stdx::simd<T, Abi>;
  using Limits = ExponentField<T>;
  return from_vector<P>(to_vector<typename Limits::Int>(x) & Limits::kMask) * P(kEpsilon<T>);
}
template <class T, class Abi>
inline stdx::simd_mask<T, Abi> is_finite(const stdx::simd<T, Abi>& x) {
  return stdx::abs(x) <= stdx::simd<T, Abi>(std::numeric_limits<T>::max());
}

}  // namespace firn
