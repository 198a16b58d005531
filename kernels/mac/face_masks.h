// Sets of the 64 faces of a block along one axis as bits of a word, and their neighbours by shifts:
// what looks for the surface reads words, and only its own faces one by one.
#pragma once

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
FIRN_HD inline void store_face_bits(std::uint32_t* words, std::uint32_t axis, std::uint64_t bits) {
  words[2 * axis] = static_cast<std::uint32_t>(bits);
  words[2 * axis + 1] = static_cast<std::uint32_t>(bits >> 32);
}
template <int D>
FIRN_HD inline std::uint64_t face_bits(const std::uint32_t* mask, std::uint32_t block, int axis) {
  const std::uint32_t* words = mask + face_word<D>(block, axis);
  return std::uint64_t{words[1]} << 32 | words[0];
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
    store_face_bits(words, axis, bits);
  });
}

// The faces of a block that lie one step from one of the set, or two along a line; `set(block)`:
// its bits in a block.
template <int D, class Real, class Set>
FIRN_HD inline std::uint64_t beside(const MacView<Real>& mac, std::uint32_t block, Set&& set,
                                    int steps = 1) {
  constexpr int kSide = BlockTraits<D>::kSide;
  const std::uint64_t own = set(block);
  std::uint64_t found = 0;
  for (int b = 0; b < D; ++b) {
    const int stride = face_stride<D>(b), along = steps * stride, across = kSide * stride - along;
    const std::uint64_t slice = first_slice<D>(b);
    const std::uint64_t low = steps == 1 ? slice : slice | slice << stride, high = low << across;
    found |= (own & ~high) << along | (own & ~low) >> along;
    const CellAddress below = cell_address<D>(mac, block, stepped<D>(Vec<int, D>::zero(), b, -1));
    const CellAddress above =
        cell_address<D>(mac, block, stepped<D>(Vec<int, D>::zero(), b, kSide));
    if (below.exists()) found |= (set(below.block) & high) >> across;
    if (above.exists()) found |= (set(above.block) & low) << across;
  }
  return found;
}

// Those of a mask and their neighbours, as words [axis][2].
template <int D, class Group, class Real>
FIRN_HD inline void find_neighbours(Group& g, const MacView<Real>& mac, std::uint32_t block,
                                    const std::uint32_t* mask, std::uint32_t* words) {
  g.for_each(D, [&](std::uint32_t axis) {
    const auto bits = [&](std::uint32_t of) {
      return face_bits<D>(mask, of, static_cast<int>(axis));
    };
    store_face_bits(words, axis, bits(block) | beside<D>(mac, block, bits));
  });
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
