// How the CPU adds single values to the cells around particles with linear weights: the 2^d shares
// of a particle are one vector or two, added to those of all whose stencils begin at the same cell,
// and given to the cells when all have come.
#pragma once

#include <algorithm>

#include "kernels/exec/pack_rows.h"
#include "kernels/transfer/tile.h"

namespace firn {

template <int D, class Real>
struct CornerTile {
  static constexpr int kCorners = BlockTraits<D>::kCorners;
  static constexpr int kSide =
      BlockTraits<D>::kSide + 1;  // cells in which stencils begin, per axis
  static constexpr int kPlaces = int_power(kSide, D);
  static constexpr int kAbreast = PackRows<Real>::kAbreast;
  // Of four shares each, as many as are added at once, or more.
  static constexpr int kNodes = std::max(kCorners / 4, kAbreast);
  using Shares = Node<Real>[kNodes];
  alignas(64) Shares place[kPlaces];

  template <class T>
  static T index_of(const Vec<T, D>& base, const Vec<int, D>& block) {
    T index = T(Real(0));
    for (int a = 0; a < D; ++a)
      index = index * T(static_cast<Real>(kSide)) +
              (base[a] - T(static_cast<Real>(block[a] * BlockTraits<D>::kSide)));
    return index;
  }
  void add(int at, const Shares& shares) {
    for (int k = 0; k < kNodes; k += kAbreast) PackRows<Real>::add(place[at] + k, shares + k);
  }
  Real share(int at, int corner) const { return place[at][corner / 4][corner % 4]; }
};

// What the particles of a pack give to their corners, the last axis fastest.
template <int D, class Real>
struct CornerShares {
  using Tile = CornerTile<D, Real>;
  using T = typename PackRows<Real>::Value;
  alignas(64) typename Tile::Shares of[PackRows<Real>::kWidth];

  explicit CornerShares(const T (&share)[Tile::kCorners]) {
    for (int k = 0; k < Tile::kNodes; k += Tile::kAbreast) {
      T four[Tile::kAbreast][4];
      for (int i = 0; i < 4 * Tile::kAbreast; ++i)
        four[i / 4][i % 4] = 4 * k + i < Tile::kCorners ? share[4 * k + i] : T(Real(0));
      PackRows<Real>::store(four, of[0] + k, Tile::kNodes);
    }
  }
};

template <class Group, int D, class Real>
inline void clear_tile(Group&, CornerTile<D, Real>& tile) {
  for (auto& shares : tile.place)
    for (Node<Real>& four : shares) four = Node<Real>::zero();
}
template <int D, class Group, class Real>
inline void flush_tile(Group& g, const CornerTile<D, Real>& tile, const GridView<Real>& grid,
                       std::uint32_t block, const GridLayer<Real>& to) {
  using Tile = CornerTile<D, Real>;
  constexpr int kSide = Tile::kSide + 1;  // one beyond the last place's own
  Real cell[int_power(kSide, D)] = {};
  for (int at = 0; at < Tile::kPlaces; ++at) {
    int first = 0;
    for (int a = 0, left = at, stride = Tile::kPlaces; a < D; ++a) {
      stride /= Tile::kSide;
      first = first * kSide + left / stride;
      left %= stride;
    }
    for (int corner = 0; corner < Tile::kCorners; ++corner) {
      int offset = 0;
      for (int a = 0; a < D; ++a) offset = offset * kSide + (corner >> (D - 1 - a) & 1);
      cell[first + offset] += tile.share(at, corner);
    }
  }
  for_each_tile_node<D, kSide>(g, [&](std::uint32_t t, int corner, int node) {
    g.accumulate_global(corner_value<D>(grid, to, block, corner, node), cell[t]);
  });
}

}  // namespace firn
