// How the CPU adds the nodes of a pack's particles to a tile: what each brings is put together for
// all of them, in vectors, then added particle by particle, 32 bytes of a row at a time. Particles
// near each other add to the same nodes one soon after the other, and a load that overlaps a part
// of what was just stored waits until that has reached the cache. So the tile exists once for each
// place in the 32 bytes where a row may begin: additions then meet whole or not at all.
#pragma once

#include "kernels/exec/pack_rows.h"
#include "kernels/transfer/spline.h"
#include "kernels/transfer/tile.h"

namespace firn {

// The nodes of a BlockTile whose stencils have Along nodes per axis.
template <int D, int Degree, int Along, class Real>
struct AlignedTile {
  static constexpr int kSide = BlockTraits<D>::kSide + Degree;
  static constexpr int kAbreast = PackRows<Real>::kAbreast, kCopies = kAbreast;
  static constexpr int kRow = (kSide + kAbreast - 1 + kAbreast - 1) / kAbreast * kAbreast;
  static constexpr int kCopy = int_power(kSide, D - 1) * kRow;
  // Vectors of a stencil's row, and their nodes.
  static constexpr int kVectors = (Along + kAbreast - 1) / kAbreast, kPadded = kVectors * kAbreast;
  static constexpr int kRows = int_power(Along, D - 1);
  alignas(64) Node<Real> node[kCopies * kCopy];

  // Node i of a row in copy c lies at place i + c of it. A stencil's rows are added to the copy in
  // which they begin with a vector.
  template <class T>
  static T index_of(const Vec<T, D>& base, const Vec<int, D>& block) {
    T index = T(Real(0));
    for (int a = 0; a < D; ++a)
      index = index * T(static_cast<Real>(a == D - 1 ? kRow : kSide)) +
              (base[a] - T(static_cast<Real>(block[a] * BlockTraits<D>::kSide)));
    if constexpr (kCopies == 2) {
      const T odd = index - T(Real(2)) * floor(T(Real(0.5)) * index);  // kRow is even
      index += odd * T(static_cast<Real>(kCopy + 1));
    }
    return index;
  }
  void add(int place, const Node<Real>* brought) {
    for (int row = 0; row < kRows; ++row) {
      const int at = place + (D == 3 ? row / Along * kSide + row % Along : row) * kRow;
      for (int k = 0; k < kPadded; k += kAbreast)
        PackRows<Real>::add(node + at + k, brought + row * kPadded + k);
    }
  }
  Node<Real> sum(std::uint32_t row, std::uint32_t i) const {
    Node<Real> value = node[row * kRow + i];
    if constexpr (kCopies == 2) value += node[kCopy + row * kRow + i + 1];
    return value;
  }
};

template <class Group, int D, int Degree, int Along, class Real>
inline void clear_tile(Group&, AlignedTile<D, Degree, Along, Real>& tile) {
  for (auto& node : tile.node) node = Node<Real>::zero();
}
template <int D, int Degree, int Along, class Group, class Real>
inline void flush_tile(Group& g, const AlignedTile<D, Degree, Along, Real>& tile,
                       const GridView<Real>& grid, std::uint32_t block,
                       const GridLayer<Node<Real>>& to) {
  constexpr std::uint32_t kSide = AlignedTile<D, Degree, Along, Real>::kSide;
  for_each_tile_node<D, kSide>(g, [&](std::uint32_t t, int corner, int node) {
    g.accumulate_global(corner_value<D>(grid, to, block, corner, node),
                        tile.sum(t / kSide, t % kSide));
  });
}

// What the particles of a pack bring to the nodes of their stencils.
template <class Tile, class Real>
struct PackNodes {
  using T = typename PackRows<Real>::Value;
  static constexpr int kWidth = PackRows<Real>::kWidth;
  static constexpr int kCount = Tile::kRows * Tile::kPadded;
  alignas(64) Node<Real> node[kWidth][kCount];

  // values(i, to): the four values of the i-th node of the stencil.
  template <int Along, class F>
  void set(F&& values) {
    for (int row = 0; row < Tile::kRows; ++row)
      for (int v = 0; v < Tile::kVectors; ++v) {
        T four[Tile::kAbreast][4];
        for (int k = 0; k < Tile::kAbreast; ++k) {
          const int along = v * Tile::kAbreast + k;
          if (along < Along)
            values(row * Along + along, four[k]);
          else
            for (T& value : four[k]) value = T(Real(0));
        }
        PackRows<Real>::store(four, &node[0][row * Tile::kPadded + v * Tile::kAbreast], kCount);
      }
  }
};

}  // namespace firn
