// The stencil of one block from an arena: values and face conductances with their halo, laid out so
// that a line of cells (a whole plane normal to the first axis in 3D, the whole block in 2D) reads
// its neighbours along all axes but the last from consecutive memory; along the last axis only the
// end of a row comes from elsewhere. So the line becomes vector instructions on the CPU, and
// threads read without conflicts on CUDA.
#pragma once

#include "kernels/fluid/cells.h"
#include "kernels/fluid/levels.h"

namespace firn {

template <int D, class Real>
struct StencilArena {
  static constexpr std::uint32_t kSide = CellTraits<D>::kSide;
  static constexpr std::uint32_t kLine = kSide * kSide;  // cells of a line
  static constexpr std::uint32_t kLines = CellTraits<D>::kCells / kLine;
  static constexpr std::uint32_t kHaloLines = D == 3 ? 1 : 0;  // on either side
  static constexpr std::uint32_t kPitch = kLine + 2 * kSide;
  static constexpr std::uint32_t kRows = CellTraits<D>::kCells / kSide;

  Real values[(kLines + 2 * kHaloLines) * kPitch];
  Real below[CellTraits<D>::kCells], above[CellTraits<D>::kCells];  // 0 but at the ends of rows
  Real k_plane[D == 3 ? (kLines + 1) * kLine : 1];
  Real k_row[kLines * (kLine + kSide)];
  Real k_last[CellTraits<D>::kCells + 1], k_last_above[CellTraits<D>::kCells];
  Real ground[CellTraits<D>::kCells];

  FIRN_HD static std::uint32_t centre(std::uint32_t line, std::uint32_t i) {
    return (line + kHaloLines) * kPitch + kSide + i;
  }
  // 1 at the first (last) place of a row, 0 at others.
  FIRN_HD static std::uint32_t row_begins(std::uint32_t i) { return (i % kSide - 1) >> 31; }
  FIRN_HD static std::uint32_t row_ends(std::uint32_t i) { return row_begins(i + 1); }
};

// 1 for cells of odd coordinate sum ("black"), 0 for red ones; sides are even, so blocks agree.
template <int D>
FIRN_HD inline std::uint32_t cell_colour(std::uint32_t line, std::uint32_t i) {
  return (line + i / BlockTraits<D>::kSide + i) % 2;
}

template <class Real>
struct StencilSum {
  Real diagonal, neighbours;  // of A, and the sum of k times the neighbour's value
};

// a where `first` is 1 and b where it is 0, both finite, by arithmetic: a conditional would move
// the loads behind one of them into a branch, and the line would not become vectors.
template <class Real>
FIRN_HD inline Real blend(std::uint32_t first, Real a, Real b) {
  const Real weight = static_cast<Real>(static_cast<std::int32_t>(first));
  return weight * a + (Real(1) - weight) * b;
}

// The values around a cell along the last axis.
template <int D, class Real>
FIRN_HD inline Real value_below(const StencilArena<D, Real>& s, std::uint32_t line,
                                std::uint32_t i) {
  using Arena = StencilArena<D, Real>;
  return blend(Arena::row_begins(i), s.below[line * Arena::kLine + i],
               s.values[Arena::centre(line, i) - 1]);
}
template <int D, class Real>
FIRN_HD inline Real value_above(const StencilArena<D, Real>& s, std::uint32_t line,
                                std::uint32_t i) {
  using Arena = StencilArena<D, Real>;
  return blend(Arena::row_ends(i), s.above[line * Arena::kLine + i],
               s.values[Arena::centre(line, i) + 1]);
}

// The rows of A that belong to one block, with the coefficients of the arena.
template <int D, class Real>
struct GeneralRows {
  using Arena = StencilArena<D, Real>;
  static constexpr std::uint32_t kSide = Arena::kSide, kLine = Arena::kLine;
  const Arena& s;

  // f(k, value) for the 2D faces of a cell: the conductance and the value beyond.
  template <class F>
  FIRN_HD void for_faces(std::uint32_t line, std::uint32_t i, F&& f) const {
    const std::uint32_t c = Arena::centre(line, i), cell = line * kLine + i;
    f(s.k_last[cell], value_below(s, line, i));
    f(blend(Arena::row_ends(i), s.k_last_above[cell], s.k_last[cell + 1]), value_above(s, line, i));
    const std::uint32_t row = line * (kLine + kSide) + i;
    f(s.k_row[row], s.values[c - kSide]);
    f(s.k_row[row + kSide], s.values[c + kSide]);
    if constexpr (D == 3) {
      f(s.k_plane[cell], s.values[c - Arena::kPitch]);
      f(s.k_plane[cell + kLine], s.values[c + Arena::kPitch]);
    }
  }
  FIRN_HD Real ground(std::uint32_t line, std::uint32_t i) const {
    return s.ground[line * kLine + i];
  }

  FIRN_HD StencilSum<Real> sum(std::uint32_t line, std::uint32_t i) const {
    StencilSum<Real> sum = {ground(line, i), Real(0)};
    for_faces(line, i, [&](Real k, Real value) {
      sum.diagonal += k;
      sum.neighbours += k * value;
    });
    return sum;
  }
  // Needs no values to be loaded.
  FIRN_HD Real diagonal(std::uint32_t line, std::uint32_t i) const {
    Real diagonal = ground(line, i);
    for_faces(line, i, [&](Real k, Real) { diagonal += k; });
    return diagonal;
  }
  // (A x)_c from differences, whose rounding is relative to the slope of x and not to its size.
  FIRN_HD Real product(std::uint32_t line, std::uint32_t i) const {
    const Real x = s.values[Arena::centre(line, i)];
    Real product = ground(line, i) * x;
    for_faces(line, i, [&](Real k, Real value) { product += k * (x - value); });
    return product;
  }
  // x_c that solves its row, b + sum k x over the diagonal; 0 in an inactive cell. Only a diagonal
  // of exactly 0 makes one, so that a coefficient that is not a number shows.
  FIRN_HD Real relaxed(std::uint32_t line, std::uint32_t i, Real b) const {
    return over_diagonal(sum(line, i), b);
  }
  // The same for neighbours' values of 0, which need not be loaded.
  FIRN_HD Real first_guess(std::uint32_t line, std::uint32_t i, Real b) const {
    return over_diagonal({diagonal(line, i), Real(0)}, b);
  }
  FIRN_HD static Real over_diagonal(const StencilSum<Real>& sum, Real b) {
    const bool active = sum.diagonal != Real(0);
    const Real x = (b + sum.neighbours) / (active ? sum.diagonal : Real(1));
    return active ? x : Real(0);
  }
};

// The same where one conductance is all there is: most of a liquid, at a third of the memory
// traffic.
template <int D, class Real>
struct UniformRows {
  using Arena = StencilArena<D, Real>;
  const Arena& s;
  Real k, over_k;  // 1 / (2 D k)

  FIRN_HD UniformRows(const Arena& arena, Real conductance)
      : s(arena), k(conductance), over_k(Real(1) / (Real(2 * D) * conductance)) {}

  FIRN_HD Real neighbours(std::uint32_t line, std::uint32_t i) const {
    const std::uint32_t c = Arena::centre(line, i);
    Real sum = value_below(s, line, i) + value_above(s, line, i) +
               (s.values[c - Arena::kSide] + s.values[c + Arena::kSide]);
    if constexpr (D == 3) sum += s.values[c - Arena::kPitch] + s.values[c + Arena::kPitch];
    return sum;
  }
  FIRN_HD Real diagonal(std::uint32_t, std::uint32_t) const { return Real(2 * D) * k; }
  FIRN_HD Real product(std::uint32_t line, std::uint32_t i) const {
    const std::uint32_t c = Arena::centre(line, i);
    const Real x = s.values[c];
    Real sum = (x - value_below(s, line, i)) + (x - value_above(s, line, i)) +
               ((x - s.values[c - Arena::kSide]) + (x - s.values[c + Arena::kSide]));
    if constexpr (D == 3)
      sum += (x - s.values[c - Arena::kPitch]) + (x - s.values[c + Arena::kPitch]);
    return k * sum;
  }
  FIRN_HD Real relaxed(std::uint32_t line, std::uint32_t i, Real b) const {
    return over_k * b + Real(1) / Real(2 * D) * neighbours(line, i);
  }
  FIRN_HD Real first_guess(std::uint32_t, std::uint32_t, Real b) const { return over_k * b; }
};

// to(i) = from[at(i)], or 0 where there is no neighbour.
template <class Group, class Real, class To, class At>
FIRN_HD inline void load_halo(Group& g, std::uint32_t n, const Real* from, To&& to, At&& at) {
  if (from != nullptr)
    g.for_each(n, [&](std::uint32_t i) { to(i) = from[at(i)]; });
  else
    g.for_each(n, [&](std::uint32_t i) { to(i) = Real(0); });
}
// Into place `end` of every row what the block beyond holds at the rows' other ends, or 0; into the
// rest of the row 0.
template <int D, class Group, class Real>
FIRN_HD inline void load_ends(Group& g, Real* rows, std::uint32_t end, const Real* beyond) {
  constexpr std::uint32_t kSide = CellTraits<D>::kSide;
  g.for_each(StencilArena<D, Real>::kRows, [&](std::uint32_t row) {
    for (std::uint32_t i = 0; i < kSide; ++i) rows[row * kSide + i] = Real(0);
    if (beyond != nullptr) rows[row * kSide + end] = beyond[row * kSide + (kSide - 1 - end)];
  });
}
template <class Real>
FIRN_HD inline const Real* block_or_null(const Real* channel, std::uint32_t block,
                                         std::uint32_t cells) {
  return block != kNoBlock ? channel + std::uint64_t{block} * cells : nullptr;
}

// The block's values and those next to it. The caller synchronises.
template <int D, class Real, class Group>
FIRN_HD inline void load_values(Group& g, StencilArena<D, Real>& s, const Real* channel,
                                const std::uint32_t* neighbours, std::uint32_t block) {
  using Arena = StencilArena<D, Real>;
  constexpr std::uint32_t kSide = Arena::kSide, kLine = Arena::kLine, kLines = Arena::kLines;
  constexpr std::uint32_t kCells = CellTraits<D>::kCells;
  const Real* own = channel + std::uint64_t{block} * kCells;
  const Real* other[2 * D];
  for (int side = 0; side < 2 * D; ++side)
    other[side] = block_or_null(channel, neighbours[side], kCells);
  g.template for_each_line<kLine>(kLines, [&](std::uint32_t line, std::uint32_t i) {
    s.values[Arena::centre(line, i)] = own[line * kLine + i];
  });
  if constexpr (D == 3) {
    load_halo(
        g, kLine, other[0], [&](std::uint32_t i) -> Real& { return s.values[kSide + i]; },
        [](std::uint32_t i) { return (kSide - 1) * kLine + i; });
    load_halo(
        g, kLine, other[1],
        [&](std::uint32_t i) -> Real& { return s.values[Arena::centre(kLines, i)]; },
        [](std::uint32_t i) { return i; });
  }
  constexpr int kRow = 2 * (D - 2), kLast = 2 * (D - 1);
  load_halo(
      g, kLines * kSide, other[kRow],
      [&](std::uint32_t f) -> Real& {
        return s.values[Arena::centre(f / kSide, f % kSide) - kSide];
      },
      [](std::uint32_t f) { return face_cell<D>(D - 2, f, kSide - 1); });
  load_halo(
      g, kLines * kSide, other[kRow + 1],
      [&](std::uint32_t f) -> Real& {
        return s.values[Arena::centre(f / kSide, f % kSide) + kLine];
      },
      [](std::uint32_t f) { return face_cell<D>(D - 2, f, 0); });
  load_ends<D>(g, s.below, 0, other[kLast]);
  load_ends<D>(g, s.above, kSide - 1, other[kLast + 1]);
}

// The block's conductances with those of the faces above it, and its terms without a neighbour. The
// caller synchronises.
template <int D, class Real, class Group>
FIRN_HD inline void load_coefficients(Group& g, StencilArena<D, Real>& s,
                                      const LevelView<Real>& level, std::uint32_t block) {
  using Arena = StencilArena<D, Real>;
  constexpr std::uint32_t kSide = Arena::kSide, kLine = Arena::kLine, kLines = Arena::kLines;
  constexpr std::uint32_t kCells = CellTraits<D>::kCells;
  const std::uint32_t* neighbours = level.neighbours + std::uint64_t{2 * D} * block;
  const Real* own = level.conductance + std::uint64_t{block} * D * kCells;
  const auto above = [&](std::uint32_t axis) {
    const std::uint32_t other = neighbours[2 * axis + 1];
    return other != kNoBlock ? level.conductance + (std::uint64_t{other} * D + axis) * kCells
                             : nullptr;
  };
  g.template for_each_line<kLine>(kLines, [&](std::uint32_t line, std::uint32_t i) {
    const std::uint32_t cell = line * kLine + i;
    if constexpr (D == 3) s.k_plane[cell] = own[cell];
    s.k_row[line * (kLine + kSide) + i] = own[(D - 2) * kCells + cell];
    s.k_last[cell] = own[(D - 1) * kCells + cell];
  });
  if constexpr (D == 3)
    load_halo(
        g, kLine, above(0), [&](std::uint32_t i) -> Real& { return s.k_plane[kCells + i]; },
        [](std::uint32_t i) { return i; });
  load_halo(
      g, kLines * kSide, above(D - 2),
      [&](std::uint32_t f) -> Real& {
        return s.k_row[f / kSide * (kLine + kSide) + kLine + f % kSide];
      },
      [](std::uint32_t f) { return face_cell<D>(D - 2, f, 0); });
  load_ends<D>(g, s.k_last_above, kSide - 1, above(D - 1));
  g.once([&] { s.k_last[kCells] = Real(0); });
  const Real* dirichlet = level.dirichlet + std::uint64_t{block} * kCells;
  if (level.mass != nullptr) {
    const Real* mass = level.mass + std::uint64_t{block} * kCells;
    g.for_each(kCells, [&](std::uint32_t i) { s.ground[i] = dirichlet[i] + mass[i]; });
  } else {
    g.for_each(kCells, [&](std::uint32_t i) { s.ground[i] = dirichlet[i]; });
  }
}

// f(rows) for the rows of A of a block, once what they need is in the arena (values loaded before
// the call included).
template <int D, class Real, class Group, class F>
FIRN_HD inline void with_rows(Group& g, StencilArena<D, Real>& s, const LevelView<Real>& level,
                              std::uint32_t block, F&& f) {
  if (level.kind[block] == kBlockUniform) {
    g.sync();
    f(UniformRows<D, Real>(s, level.conductance[std::uint64_t{block} * D * CellTraits<D>::kCells]));
  } else {
    load_coefficients<D>(g, s, level, block);
    g.sync();
    f(GeneralRows<D, Real>{s});
  }
}

}  // namespace firn
