#pragma once

#include "kernels/exec/algorithms.h"
#include "kernels/fields/cells.h"
#include "kernels/solve/levels.h"
#include "kernels/solve/stencil.h"

namespace firn {

struct BeginLevels {
  static constexpr const char* kName = "begin_levels";
  DeviceCount blocks;
  LevelTable* table;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    *table = LevelTable{};
    const std::uint32_t n = blocks.value != nullptr ? *blocks.value : blocks.bound;
    table->count[0] = n < blocks.bound ? n : blocks.bound;
  }
};

// Neighbours and kind of every block of level `l`.
template <int D, class Real>
struct LinkBlocks {
  static constexpr const char* kName = "link_blocks";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  static constexpr int kCells = CellTraits<D>::kCells;
  struct Scratch {
    std::uint32_t coupled, active, uneven;
  };
  LevelView<Real> base;
  LevelTable* table;
  PeriodicBlocks periodic;
  int l;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const LevelView<Real> level = base.template at<D>(table->offset[l]);
    const std::uint32_t block = g.index();
    g.once([&] { g.scratch.coupled = g.scratch.active = g.scratch.uneven = 0; });
    g.sync();
    g.for_each(2 * D, [&](std::uint32_t side) {
      const std::uint32_t found = coupled_neighbour(level, block, side);
      level.neighbours[std::uint64_t{2 * D} * block + side] = found;
      if (found != kNoBlock) g.atomic_or(g.scratch.coupled, 1);
    });
    g.for_each(kCells, [&](std::uint32_t i) {
      if (g.load(g.scratch.active) == 0 && has_coefficient(level, block, i))
        g.atomic_or(g.scratch.active, 1);
    });
    g.sync();  // the neighbours are there
    const Real k = level.conductance[std::uint64_t{block} * D * kCells];
    if (is_uneven(g, level, block, k)) g.atomic_or(g.scratch.uneven, 1);
    g.sync();
    g.once([&] {
      level.uniform[block] = k;
      level.kind[block] = g.scratch.uneven == 0    ? kBlockUniform
                          : g.scratch.coupled != 0 ? kBlockCoupled
                          : g.scratch.active != 0  ? kBlockIsolated
                                                   : kBlockEmpty;
      if (level.kind[block] == kBlockIsolated) g.store(table->isolated[l], 1u);
    });
  }

  // Whether what this thread sees of the block differs from one conductance k.
  template <class Group>
  FIRN_FLAT FIRN_HD bool is_uneven(Group& g, const LevelView<Real>& level, std::uint32_t block,
                                   Real k) const {
    if (!(k > Real(0)) || level.mass != nullptr) return true;
    bool uneven = false;
    visit_blocks<D, Real>(g, block, 1, [&](std::uint32_t, const auto& strips) {
      const GeneralRows<D, Real> rows{level, block};
      strips.for_each([&](const auto& at) {
        const auto ground = rows.ground(at);
        auto differs = ground != decltype(ground){};
        rows.for_conductances(at, [&](auto, const auto& below, const auto& above) {
          differs = differs | (below != decltype(ground){} + k) | (above != decltype(ground){} + k);
        });
        uneven = uneven || at.any(differs);
      });
    });
    return uneven;
  }

  // The conductances of a face belong to the block above it.
  FIRN_HD std::uint32_t coupled_neighbour(const LevelView<Real>& level, std::uint32_t block,
                                          std::uint32_t side) const {
    const int axis = static_cast<int>(side / 2);
    const bool up = side % 2 != 0;
    const std::uint32_t other =
        find_key(level.keys, table->count[l], block,
                 neighbour_around<D>(level.keys[block], axis, up, periodic, l));
    if (other == kNoBlock) return kNoBlock;
    const std::uint64_t upper = up ? other : block;
    const Real* k = level.conductance + (upper * D + static_cast<std::uint32_t>(axis)) * kCells;
    for (std::uint32_t f = 0; f < CellTraits<D>::kFace; ++f)
      if (k[face_cell<D>(axis, f, 0)] != Real(0)) return other;
    return kNoBlock;
  }
  // A cell coupled only upwards has an active cell above it, in this block or in a coupled one.
  FIRN_HD static bool has_coefficient(const LevelView<Real>& level, std::uint64_t block,
                                      std::uint32_t i) {
    bool any = level.dirichlet[block * kCells + i] != Real(0);
    if (level.mass != nullptr) any = any || level.mass[block * kCells + i] != Real(0);
    for (int a = 0; a < D; ++a)
      any = any ||
            level.conductance[(block * D + static_cast<std::uint32_t>(a)) * kCells + i] != Real(0);
    return any;
  }
};

// The first coupled block of each parent opens it. Runs over the bound: places beyond the count
// hold 0.
template <int D, class Real>
struct FlagParents {
  static constexpr const char* kName = "flag_parents";
  LevelView<Real> base;
  const LevelTable* table;
  int l;
  std::uint32_t* flags;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t block) const {
    flags[block] = 0;
    if (block >= table->count[l]) return;
    const LevelView<Real> level = base.template at<D>(table->offset[l]);
    if (!is_coupled(level.kind[block])) return;
    const std::uint64_t parent = level.keys[block] >> D;
    for (std::uint32_t b = block; b > 0 && level.keys[b - 1] >> D == parent; --b)
      if (is_coupled(level.kind[b - 1])) return;
    flags[block] = 1;
  }
};

// Coarsening ends when it has stopped to join blocks for as many levels as it takes a block to
// become one cell: blocks around a corner of the parent lattice never join. It ends too where a
// ring of more than one block cannot be halved.
template <int D>
struct OpenLevel {
  static constexpr const char* kName = "open_level";
  LevelTable* table;
  PeriodicBlocks periodic;
  int l;
  const std::uint32_t* ranks;
  std::uint32_t pool_blocks;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    const std::uint32_t n = ranks[table->count[l]];
    if (n == 0) return;
    constexpr int kWait = BlockTraits<D>::kShift;
    bool stuck = l >= kWait;
    for (int k = 0; stuck && k <= kWait; ++k) stuck = table->count[l - k] == n;
    bool ring = false;
    for (int a = 0; a < D; ++a)
      ring = ring || (is_ring(periodic, a, l) && periodic.count[a] >> l > 1 &&
                      !is_ring(periodic, a, l + 1));
    const std::uint32_t offset = l == 0 ? 0 : table->offset[l] + table->count[l];
    if (l + 1 == kMaxLevels || stuck || ring) {
      table->stuck = 1;
      table->ring = ring ? 1 : 0;
    } else if (pool_blocks - offset < n) {
      table->overflow = 1;
    } else {
      table->offset[l + 1] = offset;
      table->count[l + 1] = n;
    }
  }
};

// Parents' keys, and where in its parent every block begins. kNoBlock where the hierarchy ends.
template <int D, class Real>
struct LinkParents {
  static constexpr const char* kName = "link_parents";
  LevelView<Real> base;
  std::uint64_t* pool_keys;
  const LevelTable* table;
  int l;
  const std::uint32_t *flags, *ranks;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t block) const {
    const LevelView<Real> level = base.template at<D>(table->offset[l]);
    const bool coarser = l + 1 < kMaxLevels && table->count[l + 1] > 0;
    level.origin[block] = kNoBlock;
    if (!coarser || !is_coupled(level.kind[block])) return;
    const std::uint32_t parent = ranks[block] + flags[block] - 1;
    level.origin[block] = parent * CellTraits<D>::kCells + coarse_cell<D>(level.keys[block], 0);
    if (flags[block] != 0) pool_keys[table->offset[l + 1] + parent] = level.keys[block] >> D;
  }
};

// The parts of a parent that have no block below stay inactive.
template <int D, class Real>
struct ClearCoarse {
  static constexpr const char* kName = "clear_coarse";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  static constexpr int kCells = CellTraits<D>::kCells;
  struct Scratch {};
  CoarseView<Real> pool;
  const LevelTable* table;
  int l;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const CoarseView<Real> level = pool.template at<D>(table->offset[l]);
    const std::uint64_t first = std::uint64_t{g.index()} * kCells;
    g.for_each(kCells, [&](std::uint32_t i) {
      for (std::uint32_t a = 0; a < D; ++a) level.conductance[D * first + a * kCells + i] = Real(0);
      level.dirichlet[first + i] = level.rhs[first + i] = Real(0);
      if (level.mass != nullptr) level.mass[first + i] = Real(0);
    });
  }
};

// P^T A P for piecewise constant P. Its Laplacian part is too stiff by 2, the ratio of the cell
// sizes, since P does not see the slope within an aggregate; terms of order zero are exact. Halving
// it makes the coarse correction of rough errors up to twice too large: a level visited twice
// squares that away, one visited once would pass it on, doubled again at every level, until the
// cycle above is no longer positive. Those levels keep the plain product.
//
// With spectrum m of one visit's M A, two visits have m (2 - m), which is positive for 0 < m < 2.
// Halving alone keeps to that, barely; a bound on ties softens the coarse operator further, and
// nothing local keeps m below 2 then: a pool that one firm tie holds has m = 2 (1 + k / bound). In
// a `plain` hierarchy no term is less than that of P^T A P, so that 0 < m <= 1 by induction from
// the coarsest level, sweeps being contractions in the norm of A: its cycle is positive for every
// system, at the cost of half as many iterations again.
template <int D, class Real>
struct Coarsen {
  static constexpr const char* kName = "coarsen";
  static constexpr int kThreads = 64, kSerialGroups = kLightGroups;
  static constexpr int kCells = CellTraits<D>::kCells;
  struct Scratch {};
  LevelView<Real> base;
  CoarseView<Real> pool;
  const LevelTable* table;
  PeriodicBlocks periodic;
  int l;  // the fine level
  bool plain;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const LevelView<Real> fine = base.template at<D>(table->offset[l]);
    const std::uint64_t block = g.index();
    const std::uint32_t origin = fine.origin[block];
    if (origin == kNoBlock) return;
    const std::uint64_t parent = origin / kCells;
    const CoarseView<Real> coarse = pool.template at<D>(table->offset[l + 1]);
    const Real scale = plain || !branches<D>(l, table->count[l]) ? Real(1) : Real(0.5);
    constexpr std::uint32_t kAggregates = CellTraits<D>::kAggregates;
    g.for_each(kAggregates * (D + 1), [&](std::uint32_t n) {
      const std::uint32_t first = aggregate_first<D>(n % kAggregates), a = n / kAggregates;
      const std::uint32_t to = origin % kCells + coarse_cell<D>(0, first);
      if (a < D) {
        coarse.conductance[(parent * D + a) * kCells + to] =
            scale * lower_face(fine.conductance + (block * D + a) * kCells, first, a);
        return;
      }
      coarse.dirichlet[parent * kCells + to] = scale * grounded(fine, block, first);
      if (fine.mass != nullptr)
        coarse.mass[parent * kCells + to] = whole(fine.mass + block * kCells + first);
    });
  }
  // A ghost fluid may tie a cell at the surface to p = 0 a hundred times as firmly as to its
  // neighbours. Smoothing sets that cell at once; passed on whole, its tie would hold the rest of
  // the aggregate too. What is more than kFirm of the aggregate's own conductances is left out:
  // with 6 a dam break of 128^3 takes 13 iterations, with 2 or without a limit 16. An aggregate's
  // own are the faces below its cells, which may be few where a coarse cell holds a thin strip of
  // fine ones: no tie is cut below what couples its cell to all neighbours, else smoothing does not
  // set that cell, and the more levels the strip passes through the softer it becomes.
  static constexpr Real kFirm = 6;
  FIRN_HD Real grounded(const LevelView<Real>& fine, std::uint64_t block,
                        std::uint32_t first) const {
    const Real* k = fine.conductance + block * D * kCells + first;
    const Real* dirichlet = fine.dirichlet + block * kCells + first;
    Real largest = 0, sum = 0;
    for (std::uint32_t a = 0; a < D; ++a)
      for (std::uint32_t c = 0; c < 1u << D; ++c)
        largest = max(largest, k[a * kCells + aggregate_child<D>(c)]);
    const bool bounded = largest > Real(0) && !plain;
    for (std::uint32_t c = 0; c < 1u << D; ++c) {
      const std::uint32_t child = aggregate_child<D>(c);
      Real tie = dirichlet[child];
      if (bounded && tie > kFirm * largest)
        tie = min(tie, max(kFirm * largest, coupling(fine, block, first + child)));
      sum += tie;
    }
    return sum;
  }
  // The conductances of all faces of a cell.
  FIRN_HD static Real coupling(const LevelView<Real>& fine, std::uint64_t block,
                               std::uint32_t cell) {
    Real sum = 0;
    for (int a = 0; a < D; ++a) {
      const auto stride = static_cast<std::uint32_t>(CellTraits<D>::stride(a));
      const std::uint32_t at = cell / stride % CellTraits<D>::kSide;
      const Real* k = fine.conductance + (block * D + static_cast<std::uint32_t>(a)) * kCells;
      sum += k[cell];
      if (at + 1 < CellTraits<D>::kSide) {
        sum += k[cell + stride];
        continue;
      }
      const std::uint64_t above = fine.neighbours[2 * D * block + 2 * a + 1];
      if (above == kNoBlock) continue;
      sum += fine.conductance[(above * D + static_cast<std::uint32_t>(a)) * kCells + cell -
                              at * stride];
    }
    return sum;
  }
  FIRN_HD static Real whole(const Real* cells) {
    Real sum = 0;
    for (std::uint32_t c = 0; c < 1u << D; ++c) sum += cells[aggregate_child<D>(c)];
    return sum;
  }
  // A ring of one block has no seam on the coarse level, whose cells along it fill half a block. Of
  // its two cells in 3D the seam joins those that their face joins. Four in 2D become a row; faces
  // that are stiffer by three seams hold differences along it as well as the ring did, unless one
  // of them is closed: a plain product goes through it.
  FIRN_HD Real lower_face(const Real* k, std::uint32_t first, std::uint32_t axis) const {
    constexpr std::uint32_t kHalf = BlockTraits<D>::kSide / 2;
    const int a = static_cast<int>(axis);
    const Real own = sum_of_faces(k + first, axis);
    if (!is_ring(periodic, a, l) || periodic.count[a] >> l != 1) return own;
    const auto stride = static_cast<std::uint32_t>(CellTraits<D>::stride(a));
    const std::uint32_t at = first / stride % BlockTraits<D>::kSide;
    if (at == 0) return Real(0);
    if (kHalf > 2 && own == Real(0) && !plain) return own;
    return own + static_cast<Real>(kHalf - 1) * sum_of_faces(k + first - at * stride, axis);
  }
  FIRN_HD static Real sum_of_faces(const Real* cells, std::uint32_t axis) {
    Real sum = 0;
    for (std::uint32_t c = 0; c < 1u << D; ++c)
      if ((c >> axis & 1) == 0) sum += cells[aggregate_child<D>(c)];
    return sum;
  }
};

template <class Exec, int D, class Real>
void build_levels(Exec& exec, const Hierarchy<Real>& h, DeviceCount blocks, LevelRange levels,
                  const std::uint32_t* stop) {
  LevelTable* table = h.table;
  if (levels.begin == 0) launch_items(exec, {{nullptr, 1}, stop}, BeginLevels{blocks, table});
  for (int l = levels.begin; l < levels.end; ++l) {
    const LevelView<Real>& base = l == 0 ? h.finest : h.pool;
    const std::uint32_t bound = blocks.bound;
    const LaunchRange range{{&table->count[l], bound}, stop};
    launch_groups(exec, range, LinkBlocks<D, Real>{base, table, h.periodic, l});
    launch_items(exec, {{nullptr, bound}, stop}, FlagParents<D, Real>{base, table, l, h.flags});
    exclusive_scan(exec, h.flags, range.count, stop, h.ranks);
    launch_items(exec, {{nullptr, 1}, stop},
                 OpenLevel<D>{table, h.periodic, l, h.ranks, h.pool_blocks});
    launch_items(exec, range,
                 LinkParents<D, Real>{base, h.coarse.keys, table, l, h.flags, h.ranks});
    if (l + 1 == kMaxLevels) return;
    launch_groups(exec, {{&table->count[l + 1], bound}, stop},
                  ClearCoarse<D, Real>{h.coarse, table, l + 1});
    launch_groups(exec, range, Coarsen<D, Real>{base, h.coarse, table, h.periodic, l, h.plain});
  }
}

}  // namespace firn
