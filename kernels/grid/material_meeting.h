// How two materials lie to each other at a node, from the shares of the volume that they have at
// the nodes around.
#pragma once

#include "kernels/exec/real_row.h"
#include "kernels/fields/blocks.h"
#include "kernels/grid/material_surface.h"
#include "kernels/math/mat.h"

namespace firn {

// Shares at the nodes of a block and of those up to kReach around, the last axis fastest.
template <int D>
struct ShareTile {
  static constexpr int kReach = 3;
  static constexpr int kSide = BlockTraits<D>::kSide + 2 * kReach;
  static constexpr int kNodes = int_power(kSide, D);

  FIRN_HD static constexpr int stride(int axis) { return int_power(kSide, D - 1 - axis); }
  // Of a node of the block.
  FIRN_HD static int index(const Vec<int, D>& local) {
    int at = 0;
    for (int a = 0; a < D; ++a) at += (local[a] + kReach) * stride(a);
    return at;
  }
};

template <int D, class Real>
struct Meeting {
  Vec<Real, D> normal;  // from the one into the other; zero where that is not known
  Real cells;           // between them, not negative
};

// Weighted sums over the nodes around each of those of a row along the last axis: of the shares of
// both materials together, and of what the second has more than the first.
template <int D, class Real>
struct ShareMoments {
  using Row = RealRow<Real, BlockTraits<D>::kSide>;
  using Value = typename Row::Value;
  Value both, apart;
  Value centre[D], lean[D];  // times the way there, in cells
  Value spread[D][D];        // of both, times its square; the upper triangle

  // `of_a`, `of_b`: at the first of the nodes, in their tiles.
  FIRN_HD ShareMoments(const Real* of_a, const Real* of_b) {
    both = apart = Row::zero();
    for (int c = 0; c < D; ++c) {
      centre[c] = lean[c] = Row::zero();
      for (int d = c; d < D; ++d) spread[c][d] = Row::zero();
    }
    for (int x = D == 3 ? -kWide : 0; x <= (D == 3 ? kWide : 0); ++x)
      for (int y = -kWide; y <= kWide; ++y) {
        const int along_x = D == 3 ? x * ShareTile<D>::stride(0) : 0,
                  offset = along_x + y * ShareTile<D>::stride(D - 2);
        add_row(of_a + offset, of_b + offset, x, y);
      }
  }

  // From the one material into the other at node n, of no length in particular: along which one is
  // told from the other best, by least squares. A difference of shares would also lead away from
  // where there is neither, and at its front edge what slides would push against what it slides
  // over.
  FIRN_HD Vec<Real, D> way(int n) const {
    constexpr Real kLeast = Real(1e-3);  // cells^2, of the spread of nodes in a row across it
    const Real all = Row::lane(both, n);
    Vec<Real, D> middle, leaning;
    Mat<Real, D> wide;
    for (int c = 0; c < D; ++c) {
      middle[c] = Row::lane(centre[c], n);
      leaning[c] = Row::lane(lean[c], n);
      for (int d = c; d < D; ++d) wide(c, d) = wide(d, c) = Row::lane(spread[c][d], n);
    }
    wide = all * wide - outer(middle, middle) + kLeast * all * all * Mat<Real, D>::identity();
    return cofactor(wide) * (all * leaning - Row::lane(apart, n) * middle);
  }

 private:
  static constexpr int kWide = 2, kAlong = D - 1;
  static constexpr int kWidest = 9;  // cells^2, from where nodes count no more

  // Round, or the corners of a square would turn the fit towards its axes.
  FIRN_HD void add_row(const Real* of_a, const Real* of_b, int x, int y) {
    const int aside = x * x + y * y, reach = aside < 5 ? 2 : aside < 8 ? 1 : 0;
    Value sum = Row::zero(), sum_z = sum, sum_zz = sum, more = sum, more_z = sum;
    for (int z = -reach; z <= reach; ++z) {
      const Real at = static_cast<Real>(z),
                 within = Real(1) - static_cast<Real>(aside + z * z) / Real(kWidest),
                 weight = within * within;
      const Value a = Row::load(of_a + z), b = Row::load(of_b + z);
      const Value of_both = weight * (a + b), of_more = weight * (b - a);
      sum += of_both, sum_z += at * of_both, sum_zz += at * at * of_both;
      more += of_more, more_z += at * of_more;
    }
    both += sum, apart += more;
    centre[kAlong] += sum_z, lean[kAlong] += more_z;
    spread[kAlong][kAlong] += sum_zz;
    const Real across[2] = {static_cast<Real>(D == 3 ? x : y), static_cast<Real>(y)};
    for (int c = 0; c < kAlong; ++c) {
      centre[c] += across[c] * sum, lean[c] += across[c] * more;
      spread[c][kAlong] += across[c] * sum_z;
      for (int d = c; d < kAlong; ++d) spread[c][d] += across[c] * across[d] * sum;
    }
  }
};

// Off a node by a way of at most two cells, linearly between nodes.
template <int D, class Real>
FIRN_HD inline Real share_at(const Real* here, const Vec<Real, D>& way) {
  using Tile = ShareTile<D>;
  const Real* low = here;
  Vec<Real, D> part;
  for (int a = 0; a < D; ++a) {
    const Real down = floor(way[a]);
    low += static_cast<int>(down) * Tile::stride(a);
    part[a] = way[a] - down;
  }
  Real sum = 0;
  for (int corner = 0; corner < (1 << D); ++corner) {
    Real weight = 1;
    int offset = 0;
    for (int a = 0; a < D; ++a) {
      const int up = corner >> a & 1;
      weight *= up != 0 ? part[a] : Real(1) - part[a];
      offset += up * Tile::stride(a);
    }
    sum += weight * low[offset];
  }
  return sum;
}

// Cells from a node to where a material begins that fills more and more along a way: where it has
// half of the volume, as at a surface that is flat, or it ends before.
template <int D, class Real>
FIRN_HD inline Real cells_to(const Real* here, const Vec<Real, D>& way, int degree) {
  constexpr int kFarthest = 2;
  const Real half = Real(0.5);
  Real last = *here;
  if (last >= half) {
    for (int k = 1; k <= kFarthest; ++k) {
      const Real next = share_at<D>(here, static_cast<Real>(-k) * way);
      if (next < half) return (half - next) / (last - next) - static_cast<Real>(k);
      last = next;
    }
    return static_cast<Real>(-kFarthest);
  }
  Real most = last, at_most = 0;
  for (int k = 1; k <= kFarthest; ++k) {
    const Real next = share_at<D>(here, static_cast<Real>(k) * way);
    if (next >= half) return static_cast<Real>(k) - (next - half) / (next - last);
    if (next > most) most = next, at_most = static_cast<Real>(k);
    last = next;
  }
  return at_most + cells_from_share(most, degree);
}

// `way`: into the second, see ShareMoments.
template <int D, class Real>
FIRN_HD inline Meeting<D, Real> meeting_along(const Vec<Real, D>& way, const Real* of_a,
                                              const Real* of_b, int degree) {
  const Real length = norm(way);
  if (!(length > Real(0))) return {Vec<Real, D>::zero(), Real(0)};
  const Vec<Real, D> normal = (Real(1) / length) * way;
  const Real cells =
      cells_to<D>(of_b, normal, degree) + cells_to<D>(of_a, Real(-1) * normal, degree);
  return {normal, max(cells, Real(0))};
}

}  // namespace firn
