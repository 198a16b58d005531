// A column of liquid that grows beside sealed pockets: a solver that goes on with what it has built
// for the last system, deeper by a level now and then, against one that builds everything anew.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/pressure_cases.h"

namespace firn::test {

// Open at its top, `height` blocks high; the pockets are smaller than a block each. Some of them
// come before the column in the order of blocks, some after it.
template <int D>
PressureCase<D> column_beside_pockets(int height) {
  constexpr int kSide = BlockTraits<D>::kSide, kMost = 20;
  const auto in_pocket = [](const Vec<int, D>& c, const Vec<int, D>& block) {
    for (int a = 0; a < D; ++a) {
      const int at = c[a] - block[a] * kSide;
      if (at < 0 || at >= kSide - 1) return false;
    }
    return true;
  };
  Vec<int, D> pockets[4];
  for (int p = 0; p < 4; ++p) {
    pockets[p] = Vec<int, D>::zero();
    pockets[p][0] = p % 2 + (p < 2 ? 0 : 12);
    pockets[p][1] = p < 2 ? 0 : 5;
  }
  const auto lo = Vec<int, D>::zero(), hi = Vec<int, D>::filled(kMost * kSide);
  auto c = make_case<D>(
      lo, hi,
      [&](const Vec<int, D>& at) {
        for (const Vec<int, D>& pocket : pockets)
          if (in_pocket(at, pocket)) return CellClass::kActive;
        bool in_column = at[0] >= 6 * kSide && at[0] < 7 * kSide && at[1] >= 0;
        for (int a = 2; a < D; ++a) in_column = in_column && at[a] >= 0 && at[a] < kSide;
        if (!in_column) return CellClass::kWall;
        return at[1] < height * kSide ? CellClass::kActive : CellClass::kAir;
      },
      kUnitFace);
  random_rhs(c);
  return c;
}

template <int D, class Real, class Exec>
void expect_growth_keeps_pockets(Exec& exec, int most) {
  EllipticSolver<Exec, D, Real> kept(exec);
  std::uint32_t first = 0, last = 0;
  for (int height = 1; height <= most; ++height) {
    const auto c = column_beside_pockets<D>(height);
    PressureHarness<Exec, D, Real> one(exec, c), other(exec, c);
    const SolveReport report = kept.solve(one.system(), {}, nullptr), fresh = other.solve();
    EXPECT_TRUE(report.converged) << height;
    EXPECT_EQ(fresh.singular_components, 4U);
    EXPECT_EQ(report.singular_components, fresh.singular_components);
    EXPECT_EQ(report.iterations, fresh.iterations) << height;
    EXPECT_EQ(one.solution(), other.solution()) << height;
    if (height == 1) first = report.levels;
    last = report.levels;
  }
  EXPECT_GT(last, first) << "the hierarchy has not become deeper";
}

}  // namespace firn::test
