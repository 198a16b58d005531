// Sets of the 64 faces of a block along one axis as bits of a word, and their neighbours by shifts:
// what looks for the surface reads words, and only its own faces one by one.
#pragma once

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

template <int D>
FIRN_HD inline std::uint64_t face_bits(const std::uint32_t* mask, std::uint32_t block, int axis) {
  const std::uint32_t* words = mask + face_word<D>(block, axis);
  return std::uint64_t{words[1]} << 32 | words[0];
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

}  // namespace firn
