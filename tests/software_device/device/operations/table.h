// What all arithmetic is made of: executors that compute the 32 lanes of a warp, which the compiler
// vectorises, and keep the results of the active ones; and the table that finds them by name.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "device/check.h"

namespace emulator::core {

using s8 = std::int8_t;
using u8 = std::uint8_t;
using s16 = std::int16_t;
using u16 = std::uint16_t;
using s32 = std::int32_t;
using u32 = std::uint32_t;
using s64 = std::int64_t;
using u64 = std::uint64_t;
using s128 = __int128;
using u128 = unsigned __int128;

template <class T>
inline Lane<T> to_lane(T v) {
  if constexpr (sizeof(T) < 4)
    return static_cast<std::make_unsigned_t<T>>(v);
  else
    return std::bit_cast<Lane<T>>(v);
}
template <class T>
inline T from_lane(Lane<T> v) {
  return static_cast<T>(v);
}

// r[0] = Op(r[1], r[2], ...)
template <class Op, class D, class... A>
struct Map {
  template <std::size_t... K>
  static void lanes(Warp& w, const Instruction& in, Mask m, std::index_sequence<K...>) {
    Lane<D>* d = w.lanes<D>(in.r[0]);
    const std::tuple<const Lane<A>*...> source{w.lanes<A>(in.r[K + 1])...};
    if (m == kFull) {
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i)
        d[i] = to_lane<D>(Op::apply(from_lane<A>(std::get<K>(source)[i])...));
    } else {
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) {
        const Lane<D> v = to_lane<D>(Op::apply(from_lane<A>(std::get<K>(source)[i])...));
        d[i] = (m >> i & 1) != 0 ? v : d[i];
      }
    }
  }
  static void run(Warp& w, const Instruction& in, Mask m) {
    lanes(w, in, m, std::index_sequence_for<A...>{});
  }
};

template <class T>
using Unsigned = std::make_unsigned_t<T>;
template <class T>
using Wide = std::conditional_t<
    sizeof(T) == 8, std::conditional_t<std::is_signed_v<T>, s128, u128>,
    std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, s64, u64>,
                       std::conditional_t<std::is_signed_v<T>, s32, u32>>>;
// Unsigned arithmetic in at least 32 bits: neither overflow nor promotion to int does harm.
template <class T>
using Ring = std::conditional_t<sizeof(T) == 8, u64, u32>;

template <class T>
constexpr T kMost = std::numeric_limits<T>::max();
template <class T>
constexpr T kLeast = std::numeric_limits<T>::min();

template <class T>
struct Named {
  const char* name;
};
constexpr Named<s16> kS16{".s16"};
constexpr Named<u16> kU16{".u16"}, kB16{".b16"}, kF16{".f16"};
constexpr Named<s32> kS32{".s32"};
constexpr Named<u32> kU32{".u32"}, kB32{".b32"};
constexpr Named<s64> kS64{".s64"};
constexpr Named<u64> kU64{".u64"}, kB64{".b64"};
constexpr Named<float> kF32{".f32"};
constexpr Named<double> kF64{".f64"};

template <class T>
constexpr Class class_of() {
  if (std::is_same_v<T, float>) return Class::kFp32;
  if (std::is_same_v<T, double>) return Class::kFp64;
  return sizeof(T) == 8 ? Class::kInt64 : Class::kInt32;
}
template <class T>
constexpr char source_mark() {
  return sizeof(T) == 8 ? 'L' : 'w';
}

struct Table {
  std::unordered_map<std::string, Operation> operations;

  Operation& put(std::string name, Execute run, const char* signature, Class cls,
                 Flow flow = Flow::kNext) {
    return operations[std::move(name)] = {run, signature, cls, flow, 1, 0};
  }
};

template <class D, class... A>
struct Signature {
  static constexpr char text[] = {sizeof(D) == 8 ? 'D' : 'd', source_mark<A>()..., '\0'};
};

// What one operation is called with each type: d and all sources have the type of the name.
template <class Op, class T>
void put_unary(Table& t, const std::string& name, Named<T> type) {
  t.put(name + type.name, Map<Op, T, T>::run, Signature<T, T>::text, class_of<T>());
}
template <class Op, class T>
void put_binary(Table& t, const std::string& name, Named<T> type) {
  t.put(name + type.name, Map<Op, T, T, T>::run, Signature<T, T, T>::text, class_of<T>());
}
template <class Op, class T>
void put_ternary(Table& t, const std::string& name, Named<T> type) {
  t.put(name + type.name, Map<Op, T, T, T, T>::run, Signature<T, T, T, T>::text, class_of<T>());
}
template <class Op, class... T>
void unary(Table& t, const std::string& name, Named<T>... types) {
  (put_unary<Op>(t, name, types), ...);
}
template <class Op, class... T>
void binary(Table& t, const std::string& name, Named<T>... types) {
  (put_binary<Op>(t, name, types), ...);
}
template <class Op, class... T>
void ternary(Table& t, const std::string& name, Named<T>... types) {
  (put_ternary<Op>(t, name, types), ...);
}

// Each adds the operations of its file.
void put_integers(Table&);
void put_comparisons(Table&);
void put_floats(Table&);
void put_conversions(Table&);
void put_moves(Table&);
void put_warp_operations(Table&);

}  // namespace emulator::core
