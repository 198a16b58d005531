// The rows of A that belong to one block: general ones from the block's conductances, and those of
// a block of one conductance, which read values only. Both work on strips (kernels/exec/strip.h)
// of a field: a channel of the block and of those around it.
#pragma once

#include <type_traits>
#include <utility>

#include "kernels/exec/strip.h"
#include "kernels/fields/cells.h"
#include "kernels/solve/levels.h"

namespace firn {

// f(std::integral_constant<int, axis>) for each axis.
template <int D, class F>
FIRN_HD inline void for_each_axis(F&& f) {
  f(std::integral_constant<int, 0>{});
  f(std::integral_constant<int, 1>{});
  if constexpr (D == 3) f(std::integral_constant<int, 2>{});
}

static_assert(StripBlock<2>::kSide == CellTraits<2>::kSide &&
              StripBlock<3>::kSide == CellTraits<3>::kSide);

// A field of strips is asked for the values beyond a block on the CPU, and for those around a cell,
// wherever they are, on CUDA.

// What value(block) says of a cell of `block` or, not `inside` of it, of `other`: 0 where that is
// kNoBlock. Without branches, for a warp whose threads stand on both sides; all channels of the
// solver have places that fit 32 bits (kMaxEllipticBlocks).
template <class Of>
FIRN_HD inline auto around_block(std::uint32_t other, std::uint32_t block, bool inside,
                                 Of&& value) {
  const std::uint32_t of = inside ? block : other;
  const bool none = of == kNoBlock;
  const auto found = value(none ? block : of);
  return none ? decltype(found){} : found;
}
template <class Real>
FIRN_HD inline const Real* block_or_zeros(const Real* channel, std::uint32_t block,
                                          std::uint32_t cells) {
  return block != kNoBlock ? channel + std::uint64_t{block} * cells : zero_block<Real>();
}

// A channel with one value per cell, seen from a block.
template <int D, class Real>
struct BlockField {
  using At = Strip<D, Real>;
  const Real* channel;
  const std::uint32_t* neighbours;  // of the block
  std::uint32_t block;

  FIRN_HD BlockField(const LevelView<Real>& level, const Real* values, std::uint32_t index)
      : channel(values),
        neighbours(level.neighbours + std::uint64_t{2 * D} * index),
        block(index) {}
  FIRN_HD auto own(std::uint32_t cell) const {
    return At::load(channel + std::uint64_t{block} * CellTraits<D>::kCells, cell);
  }
  template <int kSide>
  FIRN_HD auto around(bool inside, std::uint32_t cell) const {
    return around_block(neighbours[kSide], block, inside, [&](std::uint32_t of) {
      return channel[of * CellTraits<D>::kCells + cell];
    });
  }
  template <int kSide>
  FIRN_HD auto beyond(std::uint32_t cell) const {
    return At::load(block_or_zeros(channel, neighbours[kSide], CellTraits<D>::kCells), cell);
  }
};

template <int D, class Real>
struct GeneralRows {
  using At = Strip<D, Real>;
  using Value = typename At::Value;
  const LevelView<Real>& level;
  std::uint32_t block;

  // The conductances of the faces below the cells along an axis.
  template <int kAxis>
  struct FaceField {
    const GeneralRows& rows;
    FIRN_HD Value own(std::uint32_t cell) const {
      return At::load(faces(rows.level.conductance, rows.block), cell);
    }
    template <int kSide>
    FIRN_HD Value around(bool inside, std::uint32_t cell) const {
      const std::uint32_t other = rows.level.neighbours[std::uint64_t{2 * D} * rows.block + kSide];
      return around_block(other, rows.block, inside, [&](std::uint32_t of) {
        return rows.level.conductance[(of * D + kAxis) * CellTraits<D>::kCells + cell];
      });
    }
    template <int kSide>
    FIRN_HD Value beyond(std::uint32_t cell) const {
      const std::uint32_t other = rows.level.neighbours[std::uint64_t{2 * D} * rows.block + kSide];
      return At::load(other != kNoBlock ? faces(rows.level.conductance, other) : zero_block<Real>(),
                      cell);
    }
    FIRN_HD static const Real* faces(const Real* conductance, std::uint32_t of) {
      return conductance + (std::uint64_t{of} * D + kAxis) * CellTraits<D>::kCells;
    }
  };

  // f(below, above) along each axis.
  template <class F>
  FIRN_HD void for_conductances(const At& at, F&& f) const {
    for_each_axis<D>([&](auto axis) {
      const FaceField<axis()> faces{*this};
      f(axis, faces.own(at.first), at.template above<axis()>(faces));
    });
  }
  FIRN_HD Value ground(const At& at) const {
    const std::uint64_t first = std::uint64_t{block} * CellTraits<D>::kCells;
    const Value dirichlet = At::load(level.dirichlet + first, at.first);
    return level.mass != nullptr ? dirichlet + At::load(level.mass + first, at.first) : dirichlet;
  }

  FIRN_HD Value diagonal(const At& at) const {
    Value diagonal = ground(at);
    for_conductances(at, [&](auto, Value below, Value above) { diagonal += below + above; });
    return diagonal;
  }
  // (A x)_c from differences, whose rounding is relative to the slope of x and not to its size.
  template <class Field>
  FIRN_HD Value product(const At& at, const Field& field) const {
    const Value x = field.own(at.first);
    Value product = ground(at) * x;
    for_conductances(at, [&](auto axis, Value below, Value above) {
      product += below * (x - at.template below<axis()>(field));
      product += above * (x - at.template above<axis()>(field));
    });
    return product;
  }
  // x_c that solves its row, b + sum k x over the diagonal; 0 in an inactive cell. Only a diagonal
  // of exactly 0 makes one, so that a coefficient that is not a number shows.
  template <class Field>
  FIRN_HD Value relaxed(const At& at, const Field& field, Value b) const {
    Value diagonal = ground(at);
    for_conductances(at, [&](auto axis, Value below, Value above) {
      diagonal += below + above;
      b += below * at.template below<axis()>(field);
      b += above * at.template above<axis()>(field);
    });
    return over_diagonal(diagonal, b);
  }
  // The same for neighbours' values of 0, which need not be loaded.
  FIRN_HD Value first_guess(const At& at, Value b) const { return over_diagonal(diagonal(at), b); }
  FIRN_HD static Value over_diagonal(Value diagonal, Value b) {
    const Value one = Value{} + Real(1);
    const auto active = diagonal != Value{};
    const Value x = b / (active ? diagonal : one);
    return active ? x : Value{};
  }
};

// The same where one conductance is all there is: most of a liquid, at a third of the memory
// traffic.
template <int D, class Real>
struct UniformRows {
  using At = Strip<D, Real>;
  using Value = typename At::Value;
  Real k, over_k;  // 1 / (2 D k)

  FIRN_HD explicit UniformRows(Real conductance)
      : k(conductance), over_k(Real(1) / (Real(2 * D) * conductance)) {}

  FIRN_HD Value diagonal(const At&) const { return Value{} + Real(2 * D) * k; }
  template <class Field>
  FIRN_HD Value product(const At& at, const Field& field) const {
    const Value x = field.own(at.first);
    Value sum{};
    for_each_axis<D>([&](auto axis) {
      sum += (x - at.template below<axis()>(field)) + (x - at.template above<axis()>(field));
    });
    return k * sum;
  }
  template <class Field>
  FIRN_HD Value relaxed(const At& at, const Field& field, Value b) const {
    Value sum{};
    for_each_axis<D>([&](auto axis) {
      sum += at.template below<axis()>(field) + at.template above<axis()>(field);
    });
    return over_k * b + Real(1) / Real(2 * D) * sum;
  }
  FIRN_HD Value first_guess(const At&, Value b) const { return over_k * b; }
};

// f(rows) for the rows of A of a block.
template <int D, class Real, class F>
FIRN_HD inline void with_rows(const LevelView<Real>& level, std::uint32_t block, F&& f) {
  if (level.kind[block] == kBlockUniform)
    f(UniformRows<D, Real>(level.uniform[block]));
  else
    f(GeneralRows<D, Real>{level, block});
}

// Within visit_colour.
template <int D, class Real, class Rows, class Strips, class Field>
FIRN_HD inline void relax(const LevelView<Real>& level, std::uint32_t block, const Rows& rows,
                          const Strips& strips, const Field& field, std::uint32_t colour) {
  const std::uint64_t cells = std::uint64_t{block} * CellTraits<D>::kCells;
  strips.for_each([&](const auto& at) {
    const auto b = at.load(level.rhs + cells, at.first);
    at.store_colour(level.solution + cells, colour, rows.relaxed(at, field, b));
  });
}

// What a stencil on a block will read: the channel in the blocks around it and, where its rows are
// general, their coefficients. The channel in the block itself is a stream.
template <int D, class Real, class Fetch>
FIRN_HD inline void prefetch_stencil(const LevelView<Real>& level, const Real* channel,
                                     std::uint32_t block, Fetch fetch) {
  constexpr std::uint64_t kCells = CellTraits<D>::kCells;
  const std::uint32_t* neighbours = level.neighbours + std::uint64_t{2 * D} * block;
  const bool general = level.kind[block] != kBlockUniform;
  // Along the first axis the nearest layer lies together, along the others it is in every line.
  constexpr std::uint64_t kLayer = CellTraits<D>::kFace;
  for (int side = 0; side < 2 * D; ++side) {
    const std::uint32_t other = neighbours[side];
    if (other == kNoBlock) continue;
    const std::uint64_t first = side == 0 ? kCells - kLayer : 0, cells = side < 2 ? kLayer : kCells;
    fetch(channel + other * kCells + first, cells * sizeof(Real));
    if (general && side % 2 != 0)
      fetch(level.conductance + (other * std::uint64_t{D} + side / 2) * kCells,
            cells * sizeof(Real));
  }
  if (!general) return;
  fetch(level.conductance + block * D * kCells, D * kCells * sizeof(Real));
  fetch(level.dirichlet + block * kCells, kCells * sizeof(Real));
}

}  // namespace firn
