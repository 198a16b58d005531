// Arithmetic on one lane that several families of operations share: sums and the like on numbers of
// any type, and what suffixes make of them.
#pragma once

#include <bit>
#include <cfenv>
#include <cmath>

#include "table.h"

namespace emulator::core {

struct Add {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a + b;
    else
      return static_cast<T>(Ring<T>(a) + Ring<T>(b));
  }
};
struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a - b;
    else
      return static_cast<T>(Ring<T>(a) - Ring<T>(b));
  }
};
struct Multiply {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a * b;
    else
      return static_cast<T>(Ring<T>(a) * Ring<T>(b));
  }
};
struct Divide {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a / b;
    else if (b == 0)
      return static_cast<T>(~T(0));
    else if (std::is_signed_v<T> && b == T(-1))
      return Subtract::apply(T(0), a);
    else
      return static_cast<T>(a / b);
  }
};
struct Absolute {
  template <class T>
  static T apply(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fabs(a);
    else
      return a < 0 ? Subtract::apply(T(0), a) : a;
  }
};
struct Negate {
  template <class T>
  static T apply(T a) {
    if constexpr (std::is_floating_point_v<T>)
      return -a;
    else
      return Subtract::apply(T(0), a);
  }
};
// Of two numbers; of a number and a NaN the number.
struct Minimum {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T less = a < b || (a == b && std::signbit(a)) ? a : b;
      return b != b ? a : a != a ? b : less;
    } else {
      return a < b ? a : b;
    }
  }
};
struct Maximum {
  template <class T>
  static T apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T more = a > b || (a == b && !std::signbit(a)) ? a : b;
      return b != b ? a : a != a ? b : more;
    } else {
      return a > b ? a : b;
    }
  }
};
template <class Op>
struct KeepNan {
  template <class T>
  static T apply(T a, T b) {
    return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : Op::apply(a, b);
  }
};
struct Copy {
  template <class T>
  static T apply(T a) {
    return a;
  }
};
struct And {
  template <class T>
  static T apply(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return a ^ b;
  }
};
inline float flush(float a) {
  return std::fabs(a) < std::numeric_limits<float>::min() ? std::copysign(0.0f, a) : a;
}
inline double flush(double a) {
  return std::fabs(a) < std::numeric_limits<double>::min() ? std::copysign(0.0, a) : a;
}

// .ftz: subnormal operands and results count as zero.
template <class Op>
struct Flush {
  template <class... T>
  static auto apply(T... a) {
    const auto v = Op::apply(flush(a)...);
    if constexpr (std::is_floating_point_v<std::remove_const_t<decltype(v)>>)
      return flush(v);
    else
      return v;
  }
};
// .sat: to [0, 1], NaN to 0.
template <class Op>
struct Saturate {
  template <class... T>
  static auto apply(T... a) {
    const auto v = Op::apply(a...);
    using R = std::remove_const_t<decltype(v)>;
    return v > R(0) ? (v < R(1) ? v : R(1)) : R(0);
  }
};
// Directed roundings: rare, so the mode of the CPU is changed around one operation.
template <class Op, int kMode>
struct Rounded {
  template <class... T>
  [[gnu::noinline]] static auto apply(T... a) {
    using Result = decltype(Op::apply(a...));
    const int before = std::fegetround();
    std::fesetround(kMode);
    volatile Result result =
        evaluate(static_cast<volatile T&>(a)...);  // volatile: stays between the changes of mode
    std::fesetround(before);
    return static_cast<Result>(result);
  }
  template <class... V>
  static auto evaluate(V&... a) {
    return Op::apply(std::remove_volatile_t<V>(a)...);
  }
};

}  // namespace emulator::core
