// Where a pack meets memory in which each of its lanes has a place of its own: the four values
// beside a place come as one vector, and four such vectors change places with four packs in
// registers. Far cheaper than the processor's gathers and scatters. The CPU's alone.
#pragma once

#include <utility>

#include "kernels/exec/node.h"
#if !defined(__CUDACC__)
#include "kernels/math/pack.h"
#endif

namespace firn {

#if defined(__CUDACC__)
template <class Real>
struct PackRows;

#else
template <class Real>
struct PackRows {
  using Value = Pack<Real>;
  static constexpr int kWidth = static_cast<int>(Value::size()), kFours = kWidth / 4;
  // Without that a vector holds no four values: lane by lane.
  static constexpr bool kHasFours = kWidth % 4 == 0;
  using Wide = typename VectorOf<Real, Value>::type;
  using Four = typename Node<Real>::Vector;
  typedef Real LooseFour __attribute__((vector_size(4 * sizeof(Real)), aligned(sizeof(Real))));

  // row[k] of lane i is from[place[i] + k]. Reads four values of each lane.
  template <int n>
  static void load(const Real* from, const int* place, Value (&row)[n]) {
    static_assert(n <= 4);
    if constexpr (kHasFours) {
      Wide four[4];
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) four[r] = collect(from, place + r);
      transpose(four);
      for (int k = 0; k < n; ++k) row[k] = from_vector<Value>(four[k]);
    } else {
      for (int k = 0; k < n; ++k) row[k] = Value([&](auto i) { return from[place[i] + k]; });
    }
  }

  // Nodes that lie side by side in 32 bytes: one of doubles, two of floats. What is written
  // together is to be read together: a wider load would wait until its parts have left the store
  // buffer.
  static constexpr int kAbreast = 32 / static_cast<int>(sizeof(Node<Real>));
  typedef Real Abreast __attribute__((vector_size(32), may_alias));
  // Both aligned to 32 bytes.
  static void add(Node<Real>* to, const Node<Real>* from) {
    *reinterpret_cast<Abreast*>(to) += *reinterpret_cast<const Abreast*>(from);
  }

  // to[i * stride + k] is node k of lane i, whose values are those of the four packs.
  static void store(const Value (&values)[kAbreast][4], Node<Real>* to, int stride) {
    if constexpr (kHasFours) {
      Wide four[kAbreast][4];
#pragma GCC unroll 2
      for (int k = 0; k < kAbreast; ++k) {
#pragma GCC unroll 4
        for (int c = 0; c < 4; ++c) four[k][c] = to_vector<Real>(values[k][c]);
        transpose(four[k]);
      }
#pragma GCC unroll 4
      for (int r = 0; r < 4; ++r) {
        if constexpr (kAbreast == 1)
          distribute<4>(four[0][r], to + r * stride, 4 * stride);
        else if constexpr (kFours == 1)
          for (int k = 0; k < kAbreast; ++k) distribute<4>(four[k][r], to + r * stride + k, 0);
        else {
          distribute<8>(beside<0>(four[0][r], four[1][r]), to + r * stride, 4 * stride);
          distribute<8>(beside<1>(four[0][r], four[1][r]), to + (r + 2 * kFours) * stride,
                        4 * stride);
        }
      }
    } else {
      for (int i = 0; i < kWidth; ++i)
        for (int k = 0; k < kAbreast; ++k)
          for (int c = 0; c < 4; ++c)
            to[i * stride + k].set(c, values[k][c][static_cast<std::size_t>(i)]);
    }
  }

 private:
  // The four values at every fourth place.
  static Wide collect(const Real* from, const int* place) {
    const auto at = [&](int f) {
      return Four(*reinterpret_cast<const LooseFour*>(from + place[4 * f]));
    };
    if constexpr (kFours == 1)
      return at(0);
    else if constexpr (kFours == 2)
      return joined(at(0), at(1));
    else
      return joined(joined(at(0), at(1)), joined(at(2), at(3)));
  }
  template <class V>
  static auto joined(const V& low, const V& high) {
    if constexpr (sizeof(V) == 4 * sizeof(Real))
      return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    else
      return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                     15);
  }
  // The parts of n values, to[f * stride].
  template <int n>
  static void distribute(const Wide& parts, Node<Real>* to, int stride) {
    typedef Real Part __attribute__((vector_size(n * sizeof(Real)), may_alias));
    if constexpr (kWidth == n)
      *reinterpret_cast<Part*>(to) = parts;
    else if constexpr (n == 4)
      distribute(parts, to, stride, std::make_integer_sequence<int, kWidth / 4>{});
    else {
      *reinterpret_cast<Part*>(to) = __builtin_shufflevector(parts, parts, 0, 1, 2, 3, 4, 5, 6, 7);
      *reinterpret_cast<Part*>(to + stride) =
          __builtin_shufflevector(parts, parts, 8, 9, 10, 11, 12, 13, 14, 15);
    }
  }
  template <int... F>
  static void distribute(const Wide& fours, Node<Real>* to, int stride,
                         std::integer_sequence<int, F...>) {
    ((to[F * stride].c =
          __builtin_shufflevector(fours, fours, 4 * F, 4 * F + 1, 4 * F + 2, 4 * F + 3)),
     ...);
  }

  // Of each four values of four vectors, as if they were the rows and columns of a matrix.
  static void transpose(Wide (&v)[4]) {
    const Wide a = zipped<0>(v[0], v[1]), b = zipped<1>(v[0], v[1]);
    const Wide c = zipped<0>(v[2], v[3]), d = zipped<1>(v[2], v[3]);
    v[0] = paired<0>(a, c);
    v[1] = paired<1>(a, c);
    v[2] = paired<0>(b, d);
    v[3] = paired<1>(b, d);
  }
  using Lanes = std::make_integer_sequence<int, kWidth>;
  // Of each four: x0 y0 x1 y1, or x2 y2 x3 y3.
  template <int kHigh>
  static Wide zipped(const Wide& x, const Wide& y) {
    return zipped<kHigh>(x, y, Lanes{});
  }
  template <int kHigh, int... I>
  static Wide zipped(const Wide& x, const Wide& y, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(x, y, (I / 4 * 4 + 2 * kHigh + I % 4 / 2 + I % 2 * kWidth)...);
  }
  // Of each four: x0 x1 y0 y1, or x2 x3 y2 y3.
  template <int kHigh>
  static Wide paired(const Wide& x, const Wide& y) {
    return paired<kHigh>(x, y, Lanes{});
  }
  template <int kHigh, int... I>
  static Wide paired(const Wide& x, const Wide& y, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(x, y, (I / 4 * 4 + 2 * kHigh + I % 2 + I % 4 / 2 * kWidth)...);
  }
  // The fours of the first or second half of x, each before that of y.
  template <int kHigh>
  static Wide beside(const Wide& x, const Wide& y) {
    return beside<kHigh>(x, y, Lanes{});
  }
  template <int kHigh, int... I>
  static Wide beside(const Wide& x, const Wide& y, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(
        x, y, (kHigh * kWidth / 2 + I / 8 * 4 + I % 4 + I / 4 % 2 * kWidth)...);
  }
};

// A tile of values as the particles of a pack see it, each from its own place on.
template <class Real>
struct PackTile {
  const Real* value;
  const int* place;

  PackTile operator+(int offset) const { return {value + offset, place}; }
};
// The first n values, n <= 4.
template <int n, class Real>
struct PackRow {
  Pack<Real> value[n];
  const Pack<Real>& operator[](int k) const { return value[k]; }
};
template <int n, class Real>
inline PackRow<n, Real> tile_row(const PackTile<Real>& tile) {
  PackRow<n, Real> row;
  PackRows<Real>::load(tile.value, tile.place, row.value);
  return row;
}

#endif
}  // namespace firn
