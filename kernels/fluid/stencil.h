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
  Real below[CellTraits<D>::kCells], above[CellTraits<D>::kCells];  // at the ends of rows only
  Real k_plane[D == 3 ? (kLines + 1) * kLine : 1];
  Real k_row[kLines * (kLine + kSide)];
  Real k_last[CellTraits<D>::kCells + 1], k_last_above[CellTraits<D>::kCells];
  Real ground[CellTraits<D>::kCells];

  FIRN_HD static std::uint32_t centre(std::uint32_t line, std::uint32_t i) {
    return (line + kHaloLines) * kPitch + kSide + i;
  }
  FIRN_HD static bool row_begins(std::uint32_t i) { return i % kSide == 0; }
  FIRN_HD static bool row_ends(std::uint32_t i) { return i % kSide == kSide - 1; }
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

// f(k, value) for the 2D faces of a cell: the conductance and the value beyond.
template <int D, class Real, class F>
FIRN_HD inline void for_faces(const StencilArena<D, Real>& s, std::uint32_t line, std::uint32_t i,
                              F&& f) {
  using Arena = StencilArena<D, Real>;
  constexpr std::uint32_t kSide = Arena::kSide, kLine = Arena::kLine;
  const std::uint32_t c = Arena::centre(line, i), cell = line * kLine + i;
  // Both candidates are loaded whatever is chosen: so the choice is a blend of two vectors.
  const Real last_inside = s.values[c - 1], last_outside = s.below[cell];
  const Real next_inside = s.values[c + 1], next_outside = s.above[cell];
  const Real k_inside = s.k_last[cell + 1], k_outside = s.k_last_above[cell];
  f(s.k_last[cell], Arena::row_begins(i) ? last_outside : last_inside);
  f(Arena::row_ends(i) ? k_outside : k_inside, Arena::row_ends(i) ? next_outside : next_inside);
  const std::uint32_t row = line * (kLine + kSide) + i;
  f(s.k_row[row], s.values[c - kSide]);
  f(s.k_row[row + kSide], s.values[c + kSide]);
  if constexpr (D == 3) {
    f(s.k_plane[cell], s.values[c - Arena::kPitch]);
    f(s.k_plane[cell + kLine], s.values[c + Arena::kPitch]);
  }
}

template <int D, class Real>
FIRN_HD inline Real ground_of(const StencilArena<D, Real>& s, std::uint32_t line, std::uint32_t i) {
  return s.ground[line * StencilArena<D, Real>::kLine + i];
}
template <int D, class Real>
FIRN_HD inline StencilSum<Real> stencil_sum(const StencilArena<D, Real>& s, std::uint32_t line,
                                            std::uint32_t i) {
  StencilSum<Real> sum = {ground_of(s, line, i), Real(0)};
  for_faces(s, line, i, [&](Real k, Real value) {
    sum.diagonal += k;
    sum.neighbours += k * value;
  });
  return sum;
}
// Needs no values to be loaded.
template <int D, class Real>
FIRN_HD inline Real diagonal_of(const StencilArena<D, Real>& s, std::uint32_t line,
                                std::uint32_t i) {
  Real diagonal = ground_of(s, line, i);
  for_faces(s, line, i, [&](Real k, Real) { diagonal += k; });
  return diagonal;
}
// (A x)_c from differences, whose rounding is relative to the slope of x and not to its size.
template <int D, class Real>
FIRN_HD inline Real stencil_product(const StencilArena<D, Real>& s, std::uint32_t line,
                                    std::uint32_t i) {
  const Real x = s.values[StencilArena<D, Real>::centre(line, i)];
  Real product = ground_of(s, line, i) * x;
  for_faces(s, line, i, [&](Real k, Real value) { product += k * (x - value); });
  return product;
}

// to(i) = from[at(i)], or 0 where there is no neighbour.
template <class Group, class Real, class To, class At>
FIRN_HD inline void load_halo(Group& g, std::uint32_t n, const Real* from, To&& to, At&& at) {
  if (from != nullptr)
    g.for_each(n, [&](std::uint32_t i) { to(i) = from[at(i)]; });
  else
    g.for_each(n, [&](std::uint32_t i) { to(i) = Real(0); });
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
  load_halo(
      g, Arena::kRows, other[kLast],
      [&](std::uint32_t row) -> Real& { return s.below[row * kSide]; },
      [](std::uint32_t row) { return row * kSide + kSide - 1; });
  load_halo(
      g, Arena::kRows, other[kLast + 1],
      [&](std::uint32_t row) -> Real& { return s.above[row * kSide + kSide - 1]; },
      [](std::uint32_t row) { return row * kSide; });
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
  load_halo(
      g, Arena::kRows, above(D - 1),
      [&](std::uint32_t row) -> Real& { return s.k_last_above[row * kSide + kSide - 1]; },
      [](std::uint32_t row) { return row * kSide; });
  const Real* dirichlet = level.dirichlet + std::uint64_t{block} * kCells;
  if (level.mass != nullptr) {
    const Real* mass = level.mass + std::uint64_t{block} * kCells;
    g.for_each(kCells, [&](std::uint32_t i) { s.ground[i] = dirichlet[i] + mass[i]; });
  } else {
    g.for_each(kCells, [&](std::uint32_t i) { s.ground[i] = dirichlet[i]; });
  }
}

}  // namespace firn
