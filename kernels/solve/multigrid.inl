#pragma once

#include "kernels/exec/team.h"
#include "kernels/solve/block_sum.h"
#include "kernels/solve/isolated.h"
#include "kernels/solve/multigrid.h"
#include "kernels/solve/stencil.h"

namespace firn {

// The level's solution with the correction of the next coarser level, which need not be added to it
// first: a sweep of one colour reads the other colour only, and that is swept next.
template <int D, class Real>
struct CorrectedField {
  using At = Strip<D, Real>;
  const LevelView<Real>& level;
  const Real* coarse;
  std::uint32_t block;

  FIRN_HD auto own(std::uint32_t cell) const { return of(block, cell); }
  template <int kSide>
  FIRN_HD auto around(bool inside, std::uint32_t cell) const {
    return around_block(level.neighbours[std::uint64_t{2 * D} * block + kSide], block, inside,
                        [&](std::uint32_t which) { return of(which, cell); });
  }
  template <int kSide>
  FIRN_HD auto beyond(std::uint32_t cell) const {
    const std::uint32_t other = level.neighbours[std::uint64_t{2 * D} * block + kSide];
    return other != kNoBlock ? of(other, cell) : typename At::Value{};
  }
  FIRN_HD auto of(std::uint32_t which, std::uint32_t cell) const {
    constexpr std::uint64_t kCells = CellTraits<D>::kCells;
    const Real* correction = coarse + level.origin[which];
    return At::load(level.solution + which * kCells, cell) + At::spread(correction, cell);
  }
};

template <class Real>
FIRN_HD inline bool is_empty(const LevelView<Real>& level, std::uint32_t block) {
  return level.kind[block] == kBlockEmpty;
}

// What follows works on `count` blocks from `first` on. The caller synchronises.

// The red sweep from a guess of 0. The black one that has to follow it sets the other cells.
template <int D, class Real, class Group>
FIRN_FLAT FIRN_HD inline void guess_blocks(Group& g, const LevelView<Real>& level,
                                           std::uint32_t first, std::uint32_t count) {
  visit_colour<D, Real>(g, first, count, kRed, [&](std::uint32_t block, const auto& strips) {
    if (is_empty(level, block)) return;
    const std::uint64_t cells = std::uint64_t{block} * CellTraits<D>::kCells;
    with_rows<D>(level, block, [&](const auto& rows) {
      strips.for_each([&](const auto& at) {
        const auto x = rows.first_guess(at, at.load(level.rhs + cells, at.first));
        at.store(level.solution + cells, at.first, at.is_colour(kRed) ? x : decltype(x){});
      });
    });
  });
}

template <int D, class Real, class Group>
FIRN_FLAT FIRN_HD inline void relax_blocks(Group& g, const LevelView<Real>& level,
                                           const Sweep<Real>& sweep, std::uint32_t first,
                                           std::uint32_t count) {
  visit_colour<D, Real>(
      g, first, count, sweep.colour, [&](std::uint32_t block, const auto& strips) {
        if (is_empty(level, block)) return;
        const bool corrected = sweep.coarse != nullptr && level.origin[block] != kNoBlock;
        with_rows<D>(level, block, [&](const auto& rows) {
          if (corrected)
            relax<D>(level, block, rows, strips,
                     CorrectedField<D, Real>{level, sweep.coarse, block}, sweep.colour);
          else
            relax<D>(level, block, rows, strips, BlockField<D, Real>(level, level.solution, block),
                     sweep.colour);
        });
      });
}

// The residual, summed over aggregates, of blocks that have a parent, after a black sweep: it has
// left none in black cells. `residual` is an arena for `count` blocks.
template <int D, class Real, class Group>
FIRN_FLAT FIRN_HD inline void restrict_blocks(Group& g, const LevelView<Real>& level,
                                              Real* coarse_rhs, Real* residual, std::uint32_t first,
                                              std::uint32_t count) {
  constexpr std::uint32_t kCells = CellTraits<D>::kCells;
  visit_colour<D, Real>(g, first, count, kRed, [&](std::uint32_t block, const auto& strips) {
    if (level.origin[block] == kNoBlock) return;
    const Real* rhs = level.rhs + std::uint64_t{block} * kCells;
    Real* out = residual + (block - first) * kCells;
    const BlockField<D, Real> x(level, level.solution, block);
    with_rows<D>(level, block, [&](const auto& rows) {
      strips.for_each([&](const auto& at) {
        const auto r = at.load(rhs, at.first) - rows.product(at, x);
        at.store(out, at.first, rows.diagonal(at) != decltype(r){} ? r : decltype(r){});
      });
    });
  });
  g.sync();
  visit_aggregates<D>(g, first, count, [&](std::uint32_t block, std::uint32_t aggregate) {
    const std::uint32_t origin = level.origin[block];
    if (origin == kNoBlock) return;
    const std::uint32_t cell = aggregate_first<D>(aggregate);
    const Real* r = residual + (block - first) * kCells + cell;
    Real sum = 0;
    for (std::uint32_t c = 0; c < 1u << D; ++c)
      if (cell_colour<D>(aggregate_child<D>(c)) == kRed) sum += r[aggregate_child<D>(c)];
    coarse_rhs[origin + coarse_cell<D>(0, cell)] = sum;
  });
}

template <int D, class Real>
struct FirstSweep {
  static constexpr const char* kName = "first_sweep";
  // One per red cell.
  static constexpr int kThreads = 32, kSerialGroups = kLightGroups;
  struct Scratch {};
  LevelView<Real> level;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    guess_blocks<D>(g, level, g.index(), 1);
  }
};

template <int D, class Real>
struct Smooth {
  static constexpr const char* kName = "smooth";
  // One per cell of a colour.
  static constexpr int kThreads = 32, kSerialGroups = kLightGroups;
  using Scratch = BlockSums;
  LevelView<Real> level;
  Sweep<Real> sweep;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    relax_blocks<D>(g, level, sweep, block, 1);
    if (sweep.products == nullptr || is_empty(level, block)) return;
    g.sync();
    const std::uint64_t cells = std::uint64_t{block} * CellTraits<D>::kCells;
    store_block_product(g, g.scratch, level.solution + cells, level.rhs + cells,
                        sweep.products + block);
  }
  template <class Fetch>
  FIRN_HD void prefetch(std::uint32_t block, Fetch fetch) const {
    prefetch_stencil<D>(level, level.solution, block, fetch);
  }
};

template <int D, class Real>
struct RestrictResidual {
  static constexpr const char* kName = "restrict_residual";
  // One per red cell.
  static constexpr int kThreads = 32, kSerialGroups = kLightGroups;
  struct Scratch {
    Real residual[CellTraits<D>::kCells];
  };
  LevelView<Real> level;
  Real* coarse_rhs;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    if (level.kind[g.index()] == kBlockIsolated)
      solve_isolated<D>(g, level, g.index(), 1);
    else
      restrict_blocks<D>(g, level, coarse_rhs, g.scratch.residual, g.index(), 1);
  }
  template <class Fetch>
  FIRN_HD void prefetch(std::uint32_t block, Fetch fetch) const {
    prefetch_stencil<D>(level, level.solution, block, fetch);
  }
};

// The whole cycle from level `top` down, by one team: its levels are so small that launching their
// parts would cost more than the work. The smallest ones are one thread block's, which waits for
// itself only.
template <int D, class Real>
struct CoarseCycle {
  static constexpr const char* kName = "coarse_cycle";
  static constexpr int kThreads = 512, kTeam = 8;
  static constexpr std::uint32_t kBatch = kThreads / CellTraits<D>::kCells;
  struct Scratch {
    Real residual[kBatch * CellTraits<D>::kCells];
  };
  LevelView<Real> pool;
  Real* pool_rhs;
  const LevelTable* table;
  int top;

  template <class Team>
  FIRN_HD void operator()(Team& team) const {
    if (is_small(top))
      team.alone([&](auto& group) { cycle(group, top); });
    else
      cycle(team, top);
  }
  FIRN_HD bool is_small(int l) const { return table->count[l] <= kBatch; }
  FIRN_HD bool is_coarsest(int l) const { return l + 1 == kMaxLevels || table->count[l + 1] == 0; }
  FIRN_HD LevelView<Real> level(int l) const { return pool.template at<D>(table->offset[l]); }

  template <class Group>
  FIRN_HD void cycle(Group& g, int first) const {
    constexpr bool kByTeam = requires { Group::kIsTeam; };
    std::uint32_t again = 0;  // bit l: this is the second visit of level l
    for (int l = first;;) {
      while (descend(g, l, (again >> l & 1) != 0)) {
        if constexpr (kByTeam) {
          if (is_small(l + 1)) {
            g.alone([&](auto& group) { cycle(group, l + 1); });
            g.sync();
            break;
          }
        }
        ++l;
        again &= ~(1u << l);
      }
      for (;; --l) {
        ascend(g, l);
        if ((again >> l & 1) == 0 && is_visited_twice<D>(l, table->count[l], is_coarsest(l))) break;
        if (l == first) return;
      }
      again |= 1u << l;
    }
  }

  template <class Group>
  FIRN_HD void sweep(Group& g, int l, const Sweep<Real>& sweep) const {
    relax_blocks<D>(g, level(l), sweep, 0, table->count[l]);
    g.sync();
  }
  // Returns whether there is a coarser level to go on with.
  template <class Group>
  FIRN_HD bool descend(Group& g, int l, bool again) const {
    const LevelView<Real> here = level(l);
    const std::uint32_t n = table->count[l];
    const bool coarsest = is_coarsest(l);
    const std::uint32_t pairs = coarsest ? stuck_sweeps(*table) : 0;
    if (!again) {
      guess_blocks<D>(g, here, 0, n);
      g.sync();
    }
    // One place for all sweeps: there is much code in each, and it has to be fetched.
    for (std::uint32_t i = again ? 0 : 1; i < 2 + 4 * pairs; ++i)
      sweep(g, l, {i < 2 ? i : stuck_colour(i - 2, pairs)});
    if (!coarsest) {
      restrict_level(g, here, n,
                     pool_rhs + std::uint64_t{CellTraits<D>::kCells} * table->offset[l + 1]);
      g.sync();
    }
    if (table->isolated[l] != 0) {
      solve_isolated<D>(g, here, 0, n);
      g.sync();
    }
    return !coarsest;
  }
  template <class Group>
  FIRN_HD void restrict_level(Group& g, const LevelView<Real>& here, std::uint32_t n,
                              Real* to) const {
    const auto batch = [&](auto& group, std::uint32_t first, std::uint32_t count) {
      restrict_blocks<D>(group, here, to, group.scratch.residual, first, count);
    };
    if constexpr (requires { Group::kIsTeam; })
      g.for_each_batch(n, kBatch, batch);
    else
      batch(g, 0, n);
  }
  template <class Group>
  FIRN_HD void ascend(Group& g, int l) const {
    const Real* coarse = is_coarsest(l) ? nullptr : level(l + 1).solution;
    [[maybe_unused]] constexpr int kUnrolled = 1;  // as above
    FIRN_UNROLL
    for (int i = 0; i < 2; ++i) sweep(g, l, {i == 0 ? kBlack : kRed, i == 0 ? coarse : nullptr});
  }
};

template <class Exec, int D, class Real>
void first_sweep(Exec& exec, const LevelView<Real>& level, std::uint32_t blocks,
                 const std::uint32_t* stop) {
  launch_groups(exec, {{nullptr, blocks}, stop}, FirstSweep<D, Real>{level});
}
template <class Exec, int D, class Real>
void smooth(Exec& exec, const LevelView<Real>& level, const Sweep<Real>& sweep,
            std::uint32_t blocks, const std::uint32_t* stop) {
  launch_groups(exec, {{nullptr, blocks}, stop}, Smooth<D, Real>{level, sweep});
}
template <class Exec, int D, class Real>
void restrict_residual(Exec& exec, const LevelView<Real>& level, Real* coarse_rhs,
                       std::uint32_t blocks, const std::uint32_t* stop) {
  launch_groups(exec, {{nullptr, blocks}, stop}, RestrictResidual<D, Real>{level, coarse_rhs});
}
template <class Exec, int D, class Real>
void coarse_cycle(Exec& exec, const Hierarchy<Real>& hierarchy, int top,
                  const std::uint32_t* stop) {
  launch_team(exec, stop,
              CoarseCycle<D, Real>{hierarchy.pool, hierarchy.coarse.rhs, hierarchy.table, top});
}

}  // namespace firn
