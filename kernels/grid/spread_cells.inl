// The particles of a bin in rounds: the first of each of its block's cells, then the second of
// each, and so on. Threads of a warp then add for particles of different cells, which need not wait
// for each other; and eight in a row read nodes that lie side by side in shared memory (WideTile).
// Stencils on faces may begin a node later than those on nodes, along their axis: of neighbouring
// cells on the same face. There the cells of a round come by the colours of a chessboard, half of
// them for a warp. A bin that nobody has left or entered stays as it is. CUDA's alone: on the CPU,
// runs that are copied as they are count for more.
#pragma once

#include "kernels/exec/launch.h"
#include "kernels/fields/place.h"
#include "kernels/grid/rebuild.h"
#include "kernels/math/generic_scalar.h"

namespace firn {

template <int D, class Real>
struct SpreadCells {
  static constexpr const char* kName = "spread_cells";
  static constexpr int kThreads = 32;
  static constexpr int kSide = BlockTraits<D>::kSide;
  static constexpr std::uint32_t kCells = BlockTraits<D>::kNodes;
  static constexpr std::uint32_t kRounds = kLanes;  // that a table has
  struct Scratch {
    std::uint32_t count[kCells], next[kCells];
    std::uint32_t before[kRounds], low[kRounds], high[kRounds];
    std::uint32_t changed;
  };
  Real inv_dx, shift;
  bool staggered;
  ParticleView<Real> particles;
  const std::uint64_t* keys;
  const std::uint32_t* bin_begin;
  std::uint32_t materials;
  std::uint32_t *order, *spare;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t bin = g.index(), begin = bin_begin[bin], n = bin_begin[bin + 1] - begin;
    if (n == 0 || is_as_before(g, begin, n)) return;
    const Vec<int, D> block = block_of_key<D>(keys[bin / materials]);
    g.for_each(kCells, [&](std::uint32_t c) { g.scratch.count[c] = g.scratch.next[c] = 0; });
    g.sync();
    // f(particle of the bin, its cell, how many of the cell came before it)
    const auto for_each = [&](std::uint32_t* next, auto&& f) {
      g.template for_each_pack<Real>(
          0, (n + kLanes - 1) / kLanes,
          [=](std::uint32_t chunk) {
            return n - chunk * kLanes < kLanes ? n - chunk * kLanes : kLanes;
          },
          [&](const auto& lanes) {
            typename std::remove_cvref_t<decltype(lanes)>::template Table<1> cells;
            cells.set(0, {});
            const std::uint32_t first = begin + lanes.chunk * kLanes;
            lanes.for_each_lane([&](int i, std::uint32_t lane) {
              cells.at(0, i) = static_cast<Real>(cell_of(order[first + lane], block));
            });
            lanes.take_places(cells.get(0), next, [&](std::uint32_t lane, std::uint32_t round) {
              f(first + lane, round);
            });
          });
    };
    for_each(g.scratch.count, [](std::uint32_t, std::uint32_t) {});
    g.sync();
    g.for_each(kRounds, [&](std::uint32_t round) { describe(g.scratch, round); });
    g.sync();
    for_each(g.scratch.next, [&](std::uint32_t at, std::uint32_t round) {
      const std::uint32_t cell = cell_of(order[at], block);
      spare[begin + place(g.scratch, cell, round)] = order[at];
    });
    g.sync();
    g.for_each(n, [&](std::uint32_t i) { order[begin + i] = spare[begin + i]; });
  }

  // Whether these are all particles of one bin of the layout before, as they were. A resumed run
  // finds the same.
  template <class Group>
  FIRN_HD bool is_as_before(Group& g, std::uint32_t begin, std::uint32_t n) const {
    const std::uint32_t first = order[begin], chunk = first / kLanes,
                        end = chunk + (n + kLanes - 1) / kLanes;
    const Chunk* chunks = particles.chunks + control->first_chunk;
    g.once([&] {
      const bool more = end < control->n_chunks && chunks[end].block == chunks[chunk].block &&
                        chunks[end].material == chunks[chunk].material;
      const bool whole = first % kLanes == 0 && end <= control->n_chunks && !more &&
                         chunks[end - 1].count == n - (end - 1 - chunk) * kLanes;
      g.scratch.changed = whole ? 0 : 1;
    });
    g.sync();
    g.for_each(n, [&](std::uint32_t i) {
      if (order[begin + i] != first + i) g.store(g.scratch.changed, 1u);
    });
    g.sync();
    return g.load(g.scratch.changed) == 0;
  }

  // What comes before a round: of each cell as many as there are rounds, or as it has. And which
  // cells are in it.
  FIRN_HD static void describe(Scratch& s, std::uint32_t round) {
    std::uint32_t before = 0, low = 0, high = 0;
    for (std::uint32_t c = 0; c < kCells; ++c) {
      const std::uint32_t n = s.count[c];
      before += n < round ? n : round;
      if (n > round) (c < 32 ? low : high) |= 1u << c % 32;
    }
    s.before[round] = before;
    s.low[round] = low;
    s.high[round] = high;
  }
  FIRN_HD static std::uint32_t bit_count(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
    return static_cast<std::uint32_t>(__popc(bits));
#else
    return static_cast<std::uint32_t>(__builtin_popcount(bits));
#endif
  }
  FIRN_HD static std::uint32_t place(const Scratch& s, std::uint32_t cell, std::uint32_t round) {
    if (round < kRounds) {
      const std::uint32_t below = (1u << cell % 32) - 1;
      const std::uint32_t low = cell < 32 ? below : ~0u, high = cell < 32 ? 0 : below;
      return s.before[round] + bit_count(s.low[round] & low) + bit_count(s.high[round] & high);
    }
    std::uint32_t sum = 0;
    for (std::uint32_t c = 0; c < kCells; ++c) {
      const std::uint32_t bound = round + (c < cell ? 1 : 0);
      sum += s.count[c] < bound ? s.count[c] : bound;
    }
    return sum;
  }

  // In the order of a round. 3D: rows of a plane and of the next one in turns, or by colours.
  FIRN_HD std::uint32_t cell_of(std::uint32_t slot, const Vec<int, D>& block) const {
    const std::uint32_t chunk = control->first_chunk + slot / kLanes;
    std::uint32_t at[D];
    for (int a = 0; a < D; ++a) {
      const Real x = channel_row(particles.x, chunk, D, a)[slot % kLanes];
      const Real node = axis_place(x, inv_dx, shift).node;
      at[a] = static_cast<std::uint32_t>(static_cast<int>(node) - block[a] * kSide) %
              static_cast<std::uint32_t>(kSide);
    }
    if (staggered) {
      std::uint32_t cell = 0, sum = 0;
      for (int a = 0; a < D; ++a) {
        cell = cell * kSide + at[a];
        sum += at[a];
      }
      return sum % 2 * (kCells / 2) + cell / 2;  // of each pair one is of either colour
    }
    if constexpr (D == 3)
      return ((at[0] / 2 * kSide + at[1]) * 2 + at[0] % 2) * kSide + at[2];
    else
      return at[0] * kSide + at[1];
  }
};

}  // namespace firn
