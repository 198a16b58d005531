// Consecutive cells of a block as one value, with the values of the cells next to them: whole rows
// in a vector of the compiler on the CPU, one cell of one thread on CUDA. A neighbour comes from
// the same block by shuffles or from the block beyond, straight from memory, so that a stencil
// needs no arena and no barrier. The two live in different inline namespaces, so that the linker
// never mixes them.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/base/host_device.h"
#if !defined(__CUDACC__)
#include "kernels/base/vector_bytes.h"
#endif

namespace firn {

// Blocks of 64 cells, the last axis fastest.
template <int D>
struct StripBlock {
  static constexpr std::uint32_t kSide = D == 3 ? 4 : 8, kCells = 64, kAggregates = kCells >> D;
  FIRN_HD static constexpr std::uint32_t stride(int axis) {
    std::uint32_t s = 1;
    for (int a = axis; a < D - 1; ++a) s *= kSide;
    return s;
  }
  // The cell at half the coordinates. Divisions by constants only, whatever is unrolled.
  FIRN_HD static constexpr std::uint32_t halved(std::uint32_t cell) {
    constexpr std::uint32_t kRow = stride(D - 2), kPlane = stride(0);
    const std::uint32_t half = cell / kRow % kSide / 2 * kRow + cell % kSide / 2;
    return D == 3 ? half + cell / kPlane / 2 * kPlane : half;
  }
};

// 1 for cells of odd coordinate sum ("black"), 0 for red ones; sides are even, so blocks agree.
template <int D>
FIRN_HD constexpr std::uint32_t cell_colour(std::uint32_t cell) {
  constexpr std::uint32_t kSide = StripBlock<D>::kSide;
  return (cell / (kSide * kSide) + cell / kSide + cell) % 2;
}

#if defined(__CUDACC__)
inline namespace strip_plain {

template <int D, class Real>
struct Strip {
  static constexpr std::uint32_t kWidth = 1, kSide = StripBlock<D>::kSide;
  using Value = Real;
  std::uint32_t first;

  FIRN_HD static Value load(const Real* from, std::uint32_t cell) { return from[cell]; }
  FIRN_HD static void store(Real* to, std::uint32_t cell, Value value) { to[cell] = value; }
  FIRN_HD static bool any(bool mask) { return mask; }
  FIRN_HD bool is_colour(std::uint32_t colour) const { return cell_colour<D>(first) == colour; }
  // Within visit_colour: the cell is of that colour.
  FIRN_HD void store_colour(Real* block, std::uint32_t, Value value) const { block[first] = value; }

  // What a correction of one value per aggregate, whose cells of this block begin at `coarse`, adds
  // to the strip at `cell`.
  FIRN_HD static Value spread(const Real* coarse, std::uint32_t cell) {
    return coarse[StripBlock<D>::halved(cell)];
  }

  template <int kAxis, class Field>
  FIRN_HD Value below(const Field& field) const {
    constexpr std::uint32_t kStride = StripBlock<D>::stride(kAxis);
    const bool inside = first / kStride % kSide != 0;
    return field.template around<2 * kAxis>(inside,
                                            first - kStride + (inside ? 0 : kSide * kStride));
  }
  template <int kAxis, class Field>
  FIRN_HD Value above(const Field& field) const {
    constexpr std::uint32_t kStride = StripBlock<D>::stride(kAxis);
    const bool inside = first / kStride % kSide != kSide - 1;
    return field.template around<2 * kAxis + 1>(inside,
                                                first + kStride - (inside ? 0 : kSide * kStride));
  }
};

// What reads as zeros on the CPU, and is never asked for here.
template <class Real>
FIRN_HD inline const Real* zero_block() {
  return nullptr;
}

#else
inline namespace strip_vector {

template <int D, class Real>
struct Strip {
  static constexpr std::uint32_t kSide = StripBlock<D>::kSide,
                                 kNative = kVectorBytes / sizeof(Real),
                                 kWidth = kNative > kSide ? kNative : kSide;
  static constexpr std::uint32_t kCells = StripBlock<D>::kCells, kPlane = kSide * kSide;
  using Integer = std::conditional_t<sizeof(Real) == 4, std::int32_t, std::int64_t>;
  typedef Real Value __attribute__((vector_size(kWidth * sizeof(Real))));
  typedef Real Loose __attribute__((vector_size(kWidth * sizeof(Real)), aligned(sizeof(Real))));
  typedef Integer Mask __attribute__((vector_size(kWidth * sizeof(Real))));
  using Lanes = std::make_integer_sequence<int, kWidth>;
  std::uint32_t first;

  static Value load(const Real* from, std::uint32_t cell) {
    return *reinterpret_cast<const Loose*>(from + cell);
  }
  static void store(Real* to, std::uint32_t cell, const Value& value) {
    *reinterpret_cast<Loose*>(to + cell) = value;
  }
  static bool any(const Mask& mask) {
    Integer any = 0;
    for (std::uint32_t i = 0; i < kWidth; ++i) any |= mask[i];
    return any != 0;
  }
  Mask is_colour(std::uint32_t colour) const {
    const Mask odd = odd_lanes(Lanes{});
    return odd == static_cast<Integer>(colour ^ cell_colour<D>(first));
  }
  void store_colour(Real* block, std::uint32_t colour, const Value& value) const {
    store(block, first, is_colour(colour) ? value : load(block, first));
  }

  // What a correction of one value per aggregate, whose cells of this block begin at `coarse`, adds
  // to the strip at `cell`. Reads up to kCells / 2 values past the coarse block and drops them.
  static Value spread(const Real* coarse, std::uint32_t cell) {
    return doubled(load(coarse, StripBlock<D>::halved(cell)), Lanes{});
  }

  template <int kAxis, class Field>
  Value below(const Field& field) const {
    if constexpr (kAxis == D - 1)
      return shifted_up(field.own(first), field.template beyond<2 * kAxis>(first), Lanes{});
    else if constexpr (kAxis == D - 2)
      return joined<kWidth - kSide>(first % kPlane != 0
                                        ? field.own(first - kWidth)
                                        : field.template beyond<2 * kAxis>(first + kPlane - kWidth),
                                    field.own(first), Lanes{});
    else
      return first >= kPlane ? field.own(first - kPlane)
                             : field.template beyond<2 * kAxis>(first + kCells - kPlane);
  }
  template <int kAxis, class Field>
  Value above(const Field& field) const {
    constexpr int kBeyond = 2 * kAxis + 1;
    if constexpr (kAxis == D - 1)
      return shifted_down(field.own(first), field.template beyond<kBeyond>(first), Lanes{});
    else if constexpr (kAxis == D - 2)
      return joined<kSide>(field.own(first),
                           first % kPlane != kPlane - kWidth
                               ? field.own(first + kWidth)
                               : field.template beyond<kBeyond>(first + kWidth - kPlane),
                           Lanes{});
    else
      return first < kCells - kPlane ? field.own(first + kPlane)
                                     : field.template beyond<kBeyond>(first + kPlane - kCells);
  }

 private:
  static constexpr int kRow = kSide, kLast = kSide - 1, kAll = kWidth;

  template <int... I>
  static constexpr Mask odd_lanes(std::integer_sequence<int, I...>) {
    return Mask{static_cast<Integer>(cell_colour<D>(I))...};
  }
  // Each row moved up by one cell: its first is the last of the row of the same place in `other`.
  template <int... I>
  static Value shifted_up(const Value& own, const Value& other, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(own, other, (I % kRow != 0 ? I - 1 : kAll + I + kLast)...);
  }
  template <int... I>
  static Value shifted_down(const Value& own, const Value& other,
                            std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(own, other, (I % kRow != kLast ? I + 1 : kAll + I - kLast)...);
  }
  // Each value of the first rows in 2^(D-1) places of a strip.
  template <int... I>
  static Value doubled(const Value& v, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(v, v, (I / kRow / 2 * kRow + I % kRow / 2)...);
  }
  // kWidth cells of two strips that follow each other, from place kFrom of the first on.
  template <int kFrom, int... I>
  static Value joined(const Value& a, const Value& b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, (kFrom + I)...);
  }
};

// A block that does not exist reads as zeros.
template <class Real>
inline constexpr Real kZeroBlock[64] = {};
template <class Real>
inline const Real* zero_block() {
  return kZeroBlock<Real>;
}

#endif

// The strips that one caller of visit_blocks works on in its block.
#if defined(__CUDACC__)
template <int D, class Real>
struct Strips {
  std::uint32_t cell;
  template <class F>
  FIRN_HD void for_each(F&& f) const {
    f(Strip<D, Real>{cell});
  }
};
#else
template <int D, class Real>
struct Strips {
  template <class F>
  void for_each(F&& f) const {
#pragma GCC unroll 16
    for (std::uint32_t i = 0; i < StripBlock<D>::kCells; i += Strip<D, Real>::kWidth)
      f(Strip<D, Real>{i});
  }
};
#endif

// f(block, strips) for `count` blocks from `first` on, shared out among the group. What depends on
// the block alone is then done once per block on the CPU and once per thread on CUDA.
template <int D, class Real, class Group, class F>
FIRN_HD inline void visit_blocks(Group& g, std::uint32_t first, std::uint32_t count, F&& f) {
#if defined(__CUDACC__)
  constexpr std::uint32_t kCells = StripBlock<D>::kCells;
  g.for_each(count * kCells,
             [&](std::uint32_t i) { f(first + i / kCells, Strips<D, Real>{i % kCells}); });
#else
  g.for_each(count, [&](std::uint32_t i) { f(first + i, Strips<D, Real>{}); });
#endif
}

// The same for what changes cells of `colour` alone, from those of the other colour: a strip of the
// CPU holds both, a thread of CUDA gets one of `colour`, so that no thread reads what another one
// writes. Each pair of cells along the last axis has one of each colour.
template <int D, class Real, class Group, class F>
FIRN_HD inline void visit_colour(Group& g, std::uint32_t first, std::uint32_t count,
                                 [[maybe_unused]] std::uint32_t colour, F&& f) {
#if defined(__CUDACC__)
  constexpr std::uint32_t kPairs = StripBlock<D>::kCells / 2;
  g.for_each(count * kPairs, [&](std::uint32_t i) {
    const std::uint32_t cell = 2 * (i % kPairs);
    f(first + i / kPairs, Strips<D, Real>{cell + (cell_colour<D>(cell) ^ colour)});
  });
#else
  visit_blocks<D, Real>(g, first, count, f);
#endif
}

// f(block, aggregate) for the aggregates of `count` blocks from `first` on.
template <int D, class Group, class F>
FIRN_HD inline void visit_aggregates(Group& g, std::uint32_t first, std::uint32_t count, F&& f) {
  constexpr std::uint32_t kAggregates = StripBlock<D>::kAggregates;
#if defined(__CUDACC__)
  g.for_each(count * kAggregates,
             [&](std::uint32_t i) { f(first + i / kAggregates, i % kAggregates); });
#else
  g.for_each(count, [&](std::uint32_t i) {
#pragma GCC unroll 16
    for (std::uint32_t q = 0; q < kAggregates; ++q) f(first + i, q);
  });
#endif
}

}  // inline namespace
}  // namespace firn
