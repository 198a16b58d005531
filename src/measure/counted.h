// A number that counts what is computed with it. The physics takes any scalar, so running a law or
// a transfer on this one tells how many operations it costs, iterations and branches included,
// without a second description of it that could go stale. Where the CPU has another way to
// the same result by wider vectors, the plain one is counted.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>

#include "kernels/exec/node.h"
#include "kernels/math/scalar.h"

namespace firn {

// Additions, subtractions, multiplications, divisions and square roots count one each, a fused
// multiply-add two. Comparisons, selections, signs and absolute values are free. Exponential and
// logarithm count what the polynomials of math/pack.h do, 23 and 24; sines and powers one.
struct Counted {
  float value = 0;

  // Since when is the caller's affair: it takes differences.
  static inline thread_local std::int64_t operations = 0;
  static constexpr int kExp = 23, kLog = 24;

  Counted() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> Counted(Number number)
      : value(static_cast<float>(number)) {}
  explicit operator float() const { return value; }
  explicit operator double() const { return value; }
  explicit operator int() const { return static_cast<int>(value); }

  static Counted result(float value, int cost) {
    operations += cost;
    return Counted(value);
  }
  friend Counted operator+(Counted a, Counted b) { return result(a.value + b.value, 1); }
  friend Counted operator-(Counted a, Counted b) { return result(a.value - b.value, 1); }
  friend Counted operator*(Counted a, Counted b) { return result(a.value * b.value, 1); }
  friend Counted operator/(Counted a, Counted b) { return result(a.value / b.value, 1); }
  friend Counted operator-(Counted a) { return Counted(-a.value); }
  Counted& operator+=(Counted b) { return *this = *this + b; }
  Counted& operator-=(Counted b) { return *this = *this - b; }
  Counted& operator*=(Counted b) { return *this = *this * b; }
  friend bool operator==(Counted a, Counted b) { return a.value == b.value; }
  friend auto operator<=>(Counted a, Counted b) { return a.value <=> b.value; }
};

template <>
struct ScalarOf<Counted> {
  using type = float;
};

inline Counted select(bool mask, Counted a, Counted b) { return mask ? a : b; }
inline Counted sqrt(Counted x) { return Counted::result(std::sqrt(x.value), 1); }
inline Counted abs(Counted x) { return Counted(std::fabs(x.value)); }
inline Counted exp(Counted x) { return Counted::result(std::exp(x.value), Counted::kExp); }
inline Counted log(Counted x) { return Counted::result(std::log(x.value), Counted::kLog); }
inline Counted expm1(Counted x) { return Counted::result(std::expm1(x.value), Counted::kExp); }
inline Counted log1p(Counted x) { return Counted::result(std::log1p(x.value), Counted::kLog); }
inline Counted sin(Counted x) { return Counted::result(std::sin(x.value), 1); }
inline Counted pow(Counted x, Counted y) { return Counted::result(std::pow(x.value, y.value), 1); }
inline Counted min(Counted a, Counted b) { return b < a ? b : a; }
inline Counted max(Counted a, Counted b) { return a < b ? b : a; }
inline Counted floor(Counted x) { return Counted::result(std::floor(x.value), 1); }
inline Counted fma(Counted x, Counted y, Counted z) {
  return Counted::result(std::fma(x.value, y.value, z.value), 2);
}
inline bool is_finite(Counted x) { return std::isfinite(x.value); }
inline Counted inverse_exponent(Counted x) { return Counted(inverse_exponent(x.value)); }
inline Counted last_place(Counted x) { return Counted::result(last_place(x.value), 1); }

// Nodes are vectors of four numbers, and cost four operations whether all four are wanted or not.
template <>
struct Node<Counted> {
  Counted c[4];
  static Node make(Counted x, Counted y, Counted z, Counted m) { return {{x, y, z, m}}; }
  static Node zero() { return {}; }
  static Node mass(Counted m) { return make(0, 0, 0, m); }
  Node& operator+=(const Node& o) {
    for (int i = 0; i < 4; ++i) c[i] += o.c[i];
    return *this;
  }
  friend Node operator+(Node a, const Node& b) { return a += b; }
  friend Node operator*(Counted s, Node a) {
    for (Counted& entry : a.c) entry *= s;
    return a;
  }
  Counted operator[](int i) const { return c[i]; }
  void set(int i, Counted value) { c[i] = value; }
  Counted mass() const { return c[3]; }
};

}  // namespace firn
