// Sets of the 64 faces of a block along one axis as bits of a word, and their neighbours by shifts:
// what looks for the surface reads words, and only its own faces one by one.
#pragma once

#include <utility>

#include "kernels/exec/bits.h"
#include "kernels/mac/mac_grid.h"

namespace firn {

// Distance in a word between neighbours along b.
template <int D>
FIRN_HD constexpr int face_stride(int b) {
  int stride = 1;
  for (int a = b + 1; a < D; ++a) stride *= BlockTraits<D>::kSide;
  return stride;
}
// The cells of a block that are the first along b.
template <int D>
FIRN_HD constexpr std::uint64_t first_slice(int b) {
  if constexpr (D == 3)
    return b == 0 ? 0xffffull : b == 1 ? 0x000f000f000f000full : 0x1111111111111111ull;
  return b == 0 ? 0xffull : 0x0101010101010101ull;
}

// Words [axis][2].
FIRN_HD inline void store_word_pair(std::uint32_t* words, std::uint32_t axis, std::uint64_t bits) {
  words[2 * axis] = static_cast<std::uint32_t>(bits);
  words[2 * axis + 1] = static_cast<std::uint32_t>(bits >> 32);
}
FIRN_HD inline std::uint64_t word_pair(const std::uint32_t* words, std::uint32_t axis) {
  return std::uint64_t{words[2 * axis + 1]} << 32 | words[2 * axis];
}
template <int D>
FIRN_HD inline std::uint64_t face_bits(const std::uint32_t* mask, std::uint32_t block, int axis) {
  return word_pair(mask + face_word<D>(block, axis), 0);
}

// The block's faces along an axis of the cells of a set, below and above them; `set(block)`: its
// bits in a block.
template <int D, class Real, class Set>
FIRN_HD inline std::uint64_t faces_of(const MacView<Real>& mac, std::uint32_t block, int axis,
                                      Set&& set) {
  constexpr int kSide = BlockTraits<D>::kSide;
  const int stride = face_stride<D>(axis), across = kSide * stride - stride;
  const std::uint64_t own = set(block), high = first_slice<D>(axis) << across;
  std::uint64_t found = own | (own & ~high) << stride;
  const CellAddress below = cell_address<D>(mac, block, stepped<D>(Vec<int, D>::zero(), axis, -1));
  if (below.exists()) found |= (set(below.block) & high) >> across;
  return found;
}
template <class Real>
FIRN_HD inline std::uint64_t fluid_bits(const MacView<Real>& mac, std::uint32_t block) {
  return std::uint64_t{fluid_word(mac, block, 1)} << 32 | fluid_word(mac, block, 0);
}
// Those of fluid cells, as words [axis][2].
template <int D, class Group, class Real>
FIRN_HD inline void find_fluid_faces(Group& g, const MacView<Real>& mac, std::uint32_t block,
                                     std::uint32_t* words) {
  g.for_each(D, [&](std::uint32_t axis) {
    const std::uint64_t bits = faces_of<D>(mac, block, static_cast<int>(axis),
                                           [&](std::uint32_t of) { return fluid_bits(mac, of); });
    store_word_pair(words, axis, bits);
  });
}

// Directions: 2 b is down along axis b, 2 b + 1 up; the opposite of d is d ^ 1.
template <int D>
inline constexpr int kDirections = 2 * D;
template <int D>
using DirectionBits = std::uint64_t[D][kDirections<D>];  // of faces along each axis

// A set of a block's faces along one axis, and of those of the blocks beside it.
template <int D>
struct FacesAround {
  std::uint64_t own, next[kDirections<D>];

  FIRN_HD bool empty() const {
    std::uint64_t any = own;
    for (const std::uint64_t& bits : next) any |= bits;
    return any == 0;
  }
  // The faces of the block from which a step in each direction, or two, lead to one of the set.
  FIRN_HD void towards(int steps, std::uint64_t (&found)[kDirections<D>]) const {
    towards(steps, found, std::make_integer_sequence<int, kDirections<D>>{});
  }

 private:
  template <int... d>
  FIRN_HD void towards(int steps, std::uint64_t (&found)[kDirections<D>],
                       std::integer_sequence<int, d...>) const {
    ((found[d] = step<d>(steps)), ...);
  }
  template <int d>
  FIRN_HD std::uint64_t step(int steps) const {
    constexpr int kSide = BlockTraits<D>::kSide, b = d / 2;
    constexpr int kStride = face_stride<D>(b);
    constexpr std::uint64_t kSlice = first_slice<D>(b);
    const int along = steps * kStride, across = kSide * kStride - along;
    const std::uint64_t low = steps == 1 ? kSlice : kSlice | kSlice << kStride;
    const std::uint64_t high = low << across;
    return d % 2 == 1 ? (own & ~low) >> along | (next[d] & low) << across
                      : (own & ~high) << along | (next[d] & high) >> across;
  }
};
// `set(block)`: its bits in a block.
template <int D, class Real, class Set>
FIRN_HD inline FacesAround<D> faces_around(const MacView<Real>& mac, std::uint32_t block,
                                           Set&& set) {
  const std::uint32_t* around =
      mac.around + std::uint64_t{block} * Around<D>::kBlocks + Around<D>::kSelf;
  FacesAround<D> at;
  at.own = set(block);
  for (int b = 0, turn = 1; b < D; ++b, turn *= 3)
    for (int up = 0; up < 2; ++up) {
      const std::uint32_t next = around[up != 0 ? turn : -turn];
      at.next[2 * b + up] = next != kNoBlock ? set(next) : 0;
    }
  return at;
}
// Those that lie one step from one of the set.
template <int D, class Real, class Set>
FIRN_HD inline std::uint64_t beside(const MacView<Real>& mac, std::uint32_t block, Set&& set) {
  std::uint64_t towards[kDirections<D>], found = 0;
  faces_around<D>(mac, block, set).towards(1, towards);
  for (const std::uint64_t& bits : towards) found |= bits;
  return found;
}

FIRN_HD inline bool test_bit(std::uint64_t bits, std::uint32_t bit) {
  return (bits >> bit & 1u) != 0;
}
// The cell one step or two in a direction from one of the block.
template <int D, class Real>
FIRN_HD inline CellAddress cell_towards(const MacView<Real>& mac, const CellAddress& at,
                                        int direction, int steps) {
  return cell_beside<D>(mac, at, direction / 2, (direction & 1) != 0 ? steps : -steps);
}

// The faces of a block along an axis that are in a mask or one step above such a face, along any of
// the axes: all that stencils read whose faces with a weight the mask holds. At the end of a
// stencil a weight may be 0 and its slope is not.
template <int D, class Real>
FIRN_HD inline std::uint64_t with_faces_above(const MacView<Real>& mac, std::uint32_t block,
                                              int axis, const std::uint32_t* mask) {
  constexpr int kSide = BlockTraits<D>::kSide;
  std::uint64_t found = 0;
  for (int crossed = 0; crossed < 1 << D; ++crossed) {  // the sides that steps come in through
    int place = Around<D>::kSelf;
    for (int a = 0, stride = 1; a < D; ++a, stride *= 3) place -= (crossed >> a & 1) * stride;
    const std::uint32_t from = crossed == 0 ? block
                                            : mac.around[std::uint64_t{block} * Around<D>::kBlocks +
                                                         static_cast<std::uint32_t>(place)];
    if (from == kNoBlock) continue;
    std::uint64_t bits = face_bits<D>(mask, from, axis);
    for (int a = 0; a < D && bits != 0; ++a) {
      const int stride = face_stride<D>(a), across = kSide * stride - stride;
      const std::uint64_t high = first_slice<D>(a) << across;
      bits = (crossed >> a & 1) != 0 ? (bits & high) >> across : bits | (bits & ~high) << stride;
    }
    found |= bits;
  }
  return found;
}

// Word w of the block's faces that are looked at once velocities are complete: those that particles
// read, and those for which liquid or the layers beyond it have a velocity.
template <int D, class Real>
FIRN_HD inline std::uint32_t looked_at(const MacView<Real>& mac, std::uint32_t block,
                                       std::uint32_t w) {
  return mac.read[face_word<D>(block, 0) + w] | mac.valid[face_word<D>(block, 0) + w];
}

}  // namespace firn
