// A new layout from the old one, without a sort of the particles: between two layouts a particle
// stays in its block or enters one beside it. Each old bin (block and material) counts how many go
// to which neighbour; each new bin adds up what comes to it, in the order of the old ones; then
// every particle knows its place. The result is that of the sort in rebuild.inl,
// which takes over where one particle went further, or is new.
#pragma once

#include "kernels/exec/algorithms.h"
#include "kernels/fields/place.h"
#include "kernels/grid/rebuild.h"
#include "kernels/math/generic_scalar.h"

namespace firn {

// Enters a particle's home block; returns its place in the hash, or raises an overflow.
template <class Group>
FIRN_HD inline std::uint32_t enter_home(const Group& g, const BlockHash& hash, std::uint64_t key,
                                        StepControl* control) {
  const std::uint32_t slot = hash.insert(g, key);
  if (slot == kNoBlock)
    raise(g, control, kStopOverflow);
  else if (g.load(hash.home[slot]) == 0)
    g.atomic_or(hash.home[slot], 1);
  return slot;
}

// Decides whether the old tables say where every particle was.
struct OpenLayout {
  static constexpr const char* kName = "open_layout";
  bool has_counts;
  StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    StepControl& c = *control;
    const bool near = has_counts && c.n_chunks > 0 && c.placed_chunks == c.n_chunks;
    c.skip_near = near ? 0 : 1;
    c.skip_sort = near ? 1 : 0;
    c.old_bins = c.n_bins;
    c.placed_chunks = 0;  // until the new tables are complete
    c.needed_blocks = c.left = 0;
  }
};
// Once the particles have been looked at. Where all are still in their blocks, the old layout is
// the new one: it counts as one, so that resumed runs, which must sort, agree.
struct CloseCount {
  static constexpr const char* kName = "close_count";
  StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    StepControl& c = *control;
    const bool near = c.skip_near == 0;
    c.skip_sort = near ? 1 : 0;
    if (!near || c.left != 0) return;
    c.skip_layout = c.skip_near = c.skip_bank_change = c.skip_permute = 1;
    c.placed_chunks = c.needed_chunks = c.n_chunks;
    c.needed_blocks = c.n_blocks;
    ++c.layouts;
  }
};

// The chunks of an old bin and where its particles are now.
template <int D, class Real>
struct OldBins {
  static constexpr int kAround = int_power(3, D), kStay = kAround / 2;

  Real inv_dx, shift;
  ParticleView<Real> particles;
  const std::uint64_t* keys;
  const std::uint32_t* bin_first;
  std::uint32_t materials;
  const StepControl* control;

  FIRN_HD std::uint64_t key(std::uint32_t bin) const { return keys[bin / materials]; }
  // f(lanes, neighbours, far): the neighbour of the bin's block that each particle is in
  // (neighbour_block), and whether one is in none. For groups of one warp.
  template <class Group, class F>
  FIRN_HD void for_each_pack(Group& g, std::uint32_t bin, const Vec<int, D>& block, F&& f) const {
    const std::uint32_t bank = control->first_chunk;
    const Chunk* chunks = particles.chunks;
    g.template for_each_pack<Real>(
        bank + bin_first[bin], bank + bin_first[bin + 1],
        [=](std::uint32_t chunk) { return chunks[chunk].count; },
        [&](const auto& lanes) {
          lanes.prefetch_next(particles.x, D);
          using T = typename std::remove_cvref_t<decltype(lanes)>::Value;
          T neighbour = T(Real(0));
          auto near = lanes.active();
          for (int a = 0; a < D; ++a) {
            const T x = lanes.load(channel_row(particles.x, lanes.chunk, D, a));
            const T beside = blocks_beyond(x, block[a]) + T(Real(1));
            near = near && beside >= T(Real(0)) && beside <= T(Real(2)) &&
                   abs(x * T(inv_dx)) < T(static_cast<Real>(BlockTraits<D>::kMaxCell));
            neighbour = neighbour * T(Real(3)) + beside;
          }
          f(lanes, select(near, neighbour, T(static_cast<Real>(kStay))),
            any(lanes.active() && !near));
        });
  }
  // Exact: the nodes of a block are multiples of one power of two wherever it lies.
  template <class T>
  FIRN_HD T blocks_beyond(const T& x, int block) const {
    using std::floor;
    const T node = axis_place(x, T(inv_dx), T(shift)).node -
                   T(static_cast<Real>(block * BlockTraits<D>::kSide));
    return floor(node * T(Real(1) / Real(BlockTraits<D>::kSide)));
  }
};

template <int D, class Real>
struct CountNear {
  static constexpr const char* kName = "count_near";
  static constexpr int kThreads = 32;
  using Old = OldBins<D, Real>;
  struct Scratch {
    std::uint32_t count[Old::kAround];
  };
  Old old;
  PeriodicBlocks periodic;
  std::uint32_t* counts;
  StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t bin = g.index();
    const Vec<int, D> block = block_of_key<D>(old.key(bin));
    g.for_each(Old::kAround, [&](std::uint32_t n) { g.scratch.count[n] = 0; });
    g.sync();
    old.for_each_pack(g, bin, block, [&](const auto& lanes, const auto& neighbours, bool far) {
      if (far) leave_to_sort(g);
      lanes.take_places(neighbours, g.scratch.count, [](std::uint32_t, std::uint32_t) {});
    });
    g.sync();
    g.for_each(Old::kAround, [&](std::uint32_t n) {
      counts[std::uint64_t{bin} * Old::kAround + n] = g.scratch.count[n];
      if (n == Old::kStay || g.scratch.count[n] == 0) return;
      g.atomic_or(control->left, 1);
      if (is_across(neighbour_block<D>(block, static_cast<int>(n)))) leave_to_sort(g);
    });
  }

  // Of a ring: the particle comes back at its other end.
  FIRN_HD bool is_across(const Vec<int, D>& block) const {
    bool across = false;
    for (int a = 0; a < D; ++a) across = across || periodic.turns(a, block[a]) != 0;
    return across;
  }
  template <class Group>
  FIRN_HD void leave_to_sort(Group& g) const {
    g.atomic_or(control->skip_near, 1);
  }
};

// Enters the blocks that the particles of an old bin are in.
template <int D, class Real>
struct EnterNear {
  static constexpr const char* kName = "enter_near";
  static constexpr int kThreads = 32;  // for 27 or 9 blocks
  struct Scratch {};
  OldBins<D, Real> old;
  BlockHash hash;
  const std::uint32_t* counts;
  StepControl* control;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    constexpr std::uint32_t kAround = OldBins<D, Real>::kAround;
    const std::uint32_t bin = g.index();
    if (old.bin_first[bin] == old.bin_first[bin + 1]) return;
    const std::uint64_t key = old.key(bin);
    const Vec<int, D> block = block_of_key<D>(key);
    g.for_each(kAround, [&](std::uint32_t n) {
      if (counts[std::uint64_t{bin} * kAround + n] > 0)
        enter_home(g, hash, key_beside<D>(key, neighbour_block<D>(block, static_cast<int>(n))),
                   control);
    });
  }
};

// The rank that each block had before. The saved keys ascend.
struct FindOldRanks {
  static constexpr const char* kName = "find_old_ranks";
  const std::uint64_t *keys, *saved_keys;
  std::uint32_t materials;
  std::uint32_t* old_rank;
  const StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t rank) const {
    const std::uint32_t end = control->old_bins / materials;
    const std::uint32_t at = lower_bound(saved_keys, end, keys[rank]);
    old_rank[rank] = at < end && saved_keys[at] == keys[rank] ? at : kNoBlock;
  }
};

// The same of the blocks around, where these need not be in the layout.
struct ClearOldAround {
  static constexpr const char* kName = "clear_old_around";
  std::uint32_t around;
  std::uint32_t* old_around;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t rank) const {
    for (std::uint32_t n = 0; n < around; ++n)
      old_around[std::uint64_t{rank} * around + n] = kNoBlock;
  }
};
template <int D>
struct FindOldAround {
  static constexpr const char* kName = "find_old_around";
  static constexpr int kThreads = 32;  // for 27 or 9 blocks
  static constexpr std::uint32_t kAround = int_power(3, D);
  struct Scratch {};
  BlockHash hash;
  const std::uint64_t* saved_keys;
  const std::uint32_t* counts;
  std::uint32_t materials;
  std::uint32_t* old_around;
  const StepControl* control;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t old = g.index();
    if (old >= control->old_bins / materials) return;
    const std::uint64_t key = saved_keys[old];
    const Vec<int, D> block = block_of_key<D>(key);
    g.for_each(kAround, [&](std::uint32_t n) {
      std::uint32_t particles = 0;
      for (std::uint32_t m = 0; m < materials; ++m)
        particles += counts[(std::uint64_t{old} * materials + m) * kAround + n];
      if (particles == 0) return;
      const std::uint32_t slot =
          hash.find(key_beside<D>(key, neighbour_block<D>(block, static_cast<int>(n))));
      // Seen from there, this block lies the other way.
      old_around[std::uint64_t{hash.ranks[slot]} * kAround + kAround - 1 - n] = old;
    });
  }
};

// The counts of the particles that come into a new bin.
template <int D>
struct NewBin {
  static constexpr int kAround = int_power(3, D);
  NearCounts near_counts;
  const std::uint32_t *home, *around;
  std::uint32_t materials;

  // f(count, old rank) for the blocks around the bin's; only home blocks have their neighbours
  // listed, and only they have particles.
  template <class F>
  FIRN_HD void for_each_count(std::uint32_t bin, F&& f) const {
    const std::uint32_t block = bin / materials, material = bin % materials;
    if (home[block] == 0) return;
    for (int n = 0; n < kAround; ++n) {
      const std::uint32_t from = rank_around(static_cast<std::uint64_t>(block) * kAround + n);
      if (from == kNoBlock) continue;
      // Seen from there, this block lies the other way.
      const std::uint64_t at = std::uint64_t{from * materials + material} * kAround +
                               static_cast<std::uint32_t>(kAround - 1 - n);
      if (near_counts.count[at] > 0) f(near_counts.count[at], from);
    }
  }
  FIRN_HD std::uint32_t rank_around(std::uint64_t at) const {
    return near_counts.old_around != nullptr ? near_counts.old_around[at]
                                             : near_counts.old_rank[around[at]];
  }
};
template <int D>
struct SumNear {
  static constexpr const char* kName = "sum_near";
  NewBin<D> bins;
  std::uint32_t* bin_particles;
  const StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t bin) const {
    std::uint32_t sum = 0;
    if (bin < control->n_bins)
      bins.for_each_count(bin, [&](std::uint32_t count, std::uint32_t) { sum += count; });
    bin_particles[bin] = sum;
  }
};
// Replaces each count by the place of its first particle: as in a stable sort, old blocks come in
// the order of their ranks.
template <int D>
struct StartNear {
  static constexpr const char* kName = "start_near";
  NewBin<D> bins;
  const std::uint32_t* bin_begin;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t bin) const {
    std::uint32_t* sorted[NewBin<D>::kAround];
    std::uint32_t ranks[NewBin<D>::kAround] = {};
    int n = 0;
    bins.for_each_count(bin, [&](std::uint32_t& count, std::uint32_t rank) {
      int at = n++;
      for (; at > 0 && ranks[at - 1] > rank; --at) {
        ranks[at] = ranks[at - 1];
        sorted[at] = sorted[at - 1];
      }
      ranks[at] = rank;
      sorted[at] = &count;
    });
    std::uint32_t next = bin_begin[bin];
    for (int i = 0; i < n; ++i) {
      const std::uint32_t particles = *sorted[i];
      *sorted[i] = next;
      next += particles;
    }
  }
};

template <int D, class Real>
struct PlaceNear {
  static constexpr const char* kName = "place_near";
  static constexpr int kThreads = 32;
  using Old = OldBins<D, Real>;
  struct Scratch {
    std::uint32_t next[Old::kAround];
  };
  Old old;
  const std::uint32_t* start;
  std::uint32_t* order;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t bin = g.index(), bank = old.control->first_chunk;
    g.for_each(Old::kAround, [&](std::uint32_t n) {
      g.scratch.next[n] = start[std::uint64_t{bin} * Old::kAround + n];
    });
    g.sync();
    old.for_each_pack(g, bin, block_of_key<D>(old.key(bin)),
                      [&](const auto& lanes, const auto& neighbours, bool) {
                        const std::uint32_t slot = (lanes.chunk - bank) * kLanes;
                        lanes.take_places(neighbours, g.scratch.next,
                                          [&](std::uint32_t lane, std::uint32_t place) {
                                            order[place] = slot + lane;
                                          });
                      });
  }
};

// The bins' particles, once the blocks have their ranks and neighbours.
template <class Exec, int D, class Real>
void add_up_near(Exec& exec, const GridView<Real>& grid, const RebuildView& scratch,
                 StepControl* control) {
  const std::uint32_t* skip = &control->skip_near;
  const std::uint32_t max_bins = scratch.max_blocks * scratch.materials;
  const NearCounts& counts = scratch.near_counts;
  const NewBin<D> bins{counts, grid.home, grid.around, scratch.materials};
  const LaunchRange blocks{{&control->n_blocks, scratch.max_blocks}, skip};
  if (counts.old_rank != nullptr)
    launch_items(
        exec, blocks,
        FindOldRanks{grid.keys, grid.saved_keys, scratch.materials, counts.old_rank, control});
  // On CUDA the sort takes no more instructions, and ten launches less.
  if constexpr (!Exec::kIsCuda) {
    if (counts.old_around != nullptr) {
      launch_items(exec, blocks, ClearOldAround{int_power(3, D), counts.old_around});
      launch_groups(exec, {{&control->old_bins, scratch.max_blocks}, skip},
                    FindOldAround<D>{grid.hash, grid.saved_keys, counts.count, scratch.materials,
                                     counts.old_around, control});
    }
  }
  launch_items(exec, {{nullptr, max_bins}, skip}, SumNear<D>{bins, scratch.bin_chunks, control});
  exclusive_scan(exec, scratch.bin_chunks, {nullptr, max_bins}, skip, scratch.bin_begin);
  launch_items(exec, {{&control->n_bins, max_bins}, skip}, StartNear<D>{bins, scratch.bin_begin});
}

}  // namespace firn
