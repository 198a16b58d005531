// Which blocks exist: the homes of particles, and what the stencils of those reach; then, of their
// sorted keys, how they neighbour each other and which of them share a colour. See rebuild.h.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/exec/algorithms.h"
#include "kernels/exec/node_row.h"
#include "kernels/fields/first_round.h"
#include "kernels/grid/rebuild.h"

namespace firn {

inline constexpr std::uint32_t kDropped = 0xffffffffu;

// Empties the hash, and the keys of blocks from the `kept` first ones on (null: all of them): CUDA
// sorts all there is room for.
struct ClearHash {
  static constexpr const char* kName = "clear_hash";
  BlockHash hash;
  std::uint64_t* keys;
  std::uint32_t max_blocks;
  const std::uint32_t* kept;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    hash.keys[i] = kEmptyKey;
    hash.home[i] = 0;
    if (i < max_blocks && (kept == nullptr || i >= *kept)) keys[i] = kEmptyKey;
  }
};

// Enters every particle's home block. A thread that visits several particles in turn remembers the
// last block it entered, since neighbours in memory are neighbours in space. kFields: with
// `fields`, apart from scenes without, whose kernel would ask for them in vain.
template <int D, class Real, bool kFields>
struct MarkHomes {
  static constexpr const char* kName = "mark_homes";
  static constexpr int kThreads = 128;
  static constexpr std::uint32_t kChunksPerGroup = 16;
  struct Scratch {};

  Real dx, inv_dx, shift;
  PeriodicBlocks periodic;
  SinkView<Real> sinks;
  ParticleView<Real> particles;
  BlockHash hash;
  const std::uint8_t* fields;  // of materials, see RebuildView
  std::uint32_t* slot_block;
  StepControl* control;
  std::uint32_t slots_bound;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    if constexpr (kHasNodeRows) {
      if (is_endless()) return enter_packs(g);
    }
    Vec<int, D> last = Vec<int, D>::zero();
    int last_field = 0;
    std::uint32_t last_slot = kDropped;  // none yet
    const std::uint32_t first = g.index() * kChunksPerGroup * kLanes;
    const std::uint32_t bank = control->first_chunk;
    g.for_each(kChunksPerGroup * kLanes, [&](std::uint32_t i) {
      const std::uint32_t slot = first + i;
      if (slot >= slots_bound) return;
      slot_block[slot] = kDropped;
      if (slot >= control->n_slots || slot % kLanes >= particles.chunks[bank + slot / kLanes].count)
        return;
      Vec<int, D> block;
      if (!home_of(g, bank + slot / kLanes, slot % kLanes, block)) return;
      const int field = field_of(bank + slot / kLanes);
      bool same = last_slot != kDropped && field == last_field;
      for (int a = 0; a < D; ++a) same = same && block[a] == last[a];
      if (!same) {
        last = block;
        last_field = field;
        last_slot = enter_home(g, hash, block_key<D>(block, field), control);
      }
      slot_block[slot] = last_slot;
    });
  }

  // Whether particles are where they are, and stay in the simulation.
  bool is_endless() const {
    return std::all_of(periodic.count, periodic.count + D, [](int n) { return n == 0; }) &&
           sinks.count == 0 && !sinks.open;
  }
  // On the CPU then, where the lanes of most packs have one home.
  template <class Group>
  FIRN_FLAT void enter_packs(Group& g) const {
    const std::uint32_t bank = control->first_chunk, first = g.index() * kChunksPerGroup,
                        end = std::min(first + kChunksPerGroup, control->n_slots / kLanes);
    for (std::uint32_t chunk = first; chunk < end; ++chunk)
      std::fill(slot_block + chunk * kLanes + particles.chunks[bank + chunk].count,
                slot_block + (chunk + 1) * kLanes, kDropped);
    Vec<int, D> last = Vec<int, D>::zero();
    int field = 0, last_field = 0;
    std::uint32_t last_slot = kDropped;
    const auto enter = [&](const Vec<int, D>& block) {
      bool same = last_slot != kDropped && field == last_field;
      for (int a = 0; a < D; ++a) same = same && block[a] == last[a];
      if (!same) last_slot = enter_home(g, hash, block_key<D>(block, field), control);
      last = block;
      last_field = field;
      return last_slot;
    };
    const auto count_of = [&](std::uint32_t chunk) { return particles.chunks[chunk].count; };
    g.template for_each_pack<Real>(bank + first, bank + end, count_of, [&](const auto& lanes) {
      using Lanes = std::remove_cvref_t<decltype(lanes)>;
      using T = typename Lanes::Value;
      const T one_block = T(Real(1) / BlockTraits<D>::kSide);
      field = field_of(lanes.chunk);
      typename Lanes::template Table<D> home;
      auto is_far = T(Real(0)) > T(Real(0)), is_other = is_far;
      for (int a = 0; a < D; ++a) {
        const T x = lanes.load(channel_row(particles.x, lanes.chunk, D, a));
        const T block = floor(axis_base(x, inv_dx, shift).node * one_block);
        home.set(a, block);
        is_far = is_far || !(abs(x * T(inv_dx)) < T(static_cast<Real>(BlockTraits<D>::kMaxCell)));
        is_other = is_other || block != T(home.at(a, 0));
      }
      std::uint32_t* const to = slot_block + (lanes.chunk - bank) * kLanes;
      if (any(is_far && lanes.active())) {
        lanes.for_each_lane([&](int, std::uint32_t lane) {
          Vec<int, D> block;
          to[lane] = home_of(g, lanes.chunk, lane, block) ? enter(block) : kDropped;
        });
        return;
      }
      const auto block_of = [&](int i) {
        Vec<int, D> block;
        for (int a = 0; a < D; ++a) block[a] = static_cast<int>(home.at(a, i));
        return block;
      };
      if (any(is_other && lanes.active()))
        lanes.for_each_lane([&](int i, std::uint32_t lane) { to[lane] = enter(block_of(i)); });
      else
        std::fill_n(to + lanes.first, lanes.active_lanes(), enter(block_of(0)));
    });
  }

  FIRN_HD int field_of(std::uint32_t chunk) const {
    return kFields ? fields[particles.chunks[chunk].material] : 0;
  }
  // False where the particle leaves the simulation: in a sink, or with a fault.
  template <class Group>
  FIRN_HD bool home_of(Group& g, std::uint32_t chunk, std::uint32_t lane,
                       Vec<int, D>& block) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) {
      Real& own = channel_row(particles.x, chunk, D, a)[lane];
      x[a] = own;
      const Real cell = x[a] * inv_dx;
      if (!(abs(cell) < static_cast<Real>(BlockTraits<D>::kMaxCell))) {
        g.atomic_min(control->fault, pack_fault(Fault::kPositionRange,
                                                channel_row(particles.id, chunk, 1, 0)[lane]));
        raise(g, control, kStopDiverged);
        return false;
      }
      const Real before = x[a];
      block[a] = come_home<D>(periodic, a, dx, inv_dx, shift, x[a]);
      if (x[a] != before) own = x[a];
    }
    for (int a = 0; a < D; ++a) x[a] = in_first_round<D>(periodic, a, dx, inv_dx, x[a]);
    return !sinks.takes(x);
  }
};

// Enters the blocks that the stencils of a home block's particles reach, and as many more as the
// halo has. Homes are few among the places of
// a hash, so a group finds those of many places and then has a thread for each block to enter.
template <int D>
struct MarkHalo {
  static constexpr const char* kName = "mark_halo";
  static constexpr int kThreads = 128;
  static constexpr std::uint32_t kPlaces = 64;
  struct Scratch {
    std::uint32_t homes[kPlaces], count;
  };
  BlockHash hash;
  PeriodicBlocks periodic;
  BlockHalo halo;
  StepControl* control;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t first = g.index() * kPlaces, places = hash.mask + 1 - first;
    g.once([&] { g.scratch.count = 0; });
    g.sync();
    g.for_each(places < kPlaces ? places : kPlaces, [&](std::uint32_t i) {
      if (hash.home[first + i] != 0)
        g.scratch.homes[g.atomic_increment(g.scratch.count)] = first + i;
    });
    g.sync();
    const auto reached = static_cast<std::uint32_t>(int_power(halo.across(), D));
    g.for_each(g.scratch.count * reached, [&](std::uint32_t i) {
      const std::uint64_t home = hash.keys[g.scratch.homes[i / reached]];
      enter(g, home, halo.block(block_of_key<D>(home), static_cast<int>(i % reached)));
    });
  }
  template <class Device>
  FIRN_HD void enter(Device& device, std::uint64_t home, const Vec<int, D>& block) const {
    if (hash.insert(device, key_beside<D>(home, periodic.wrapped(block))) == kNoBlock)
      raise(device, control, kStopOverflow);
  }
};

struct CompactBlocks {
  static constexpr const char* kName = "compact_blocks";
  BlockHash hash;
  std::uint64_t* keys;
  std::uint32_t max_blocks;
  StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device& device, std::uint32_t slot) const {
    if (hash.keys[slot] == kEmptyKey) return;
    const std::uint32_t at = device.atomic_increment(control->needed_blocks);
    if (at < max_blocks) keys[at] = hash.keys[slot];
  }
};

struct AdoptBlockCount {
  static constexpr const char* kName = "adopt_block_count";
  std::uint32_t max_blocks, materials;
  StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device& device, std::uint32_t) const {
    if (control->needed_blocks > max_blocks) {
      raise(device, control, kStopOverflow);
      return;
    }
    control->n_blocks = control->needed_blocks;
    control->n_bins = control->n_blocks * materials;
  }
};

// Over all block places, so that colours beyond the count are "none".
template <int D>
struct RankBlocks {
  static constexpr const char* kName = "rank_blocks";
  BlockHash hash;
  const std::uint64_t* keys;
  int parities;
  std::uint32_t *home, *block_colour;
  const StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t rank) const {
    block_colour[rank] = 0xffffffffu;
    if (rank >= control->n_blocks) return;
    const std::uint32_t slot = hash.find(keys[rank]);
    hash.ranks[slot] = rank;
    home[rank] = hash.home[slot];
    if (home[rank] != 0)
      block_colour[rank] =
          static_cast<std::uint32_t>(firn::block_colour<D>(block_of_key<D>(keys[rank]), parities));
  }
};

template <int D>
struct LinkBlocks {
  static constexpr const char* kName = "link_blocks";
  static constexpr int kThreads = 32;  // each looks one or two blocks up
  struct Scratch {};
  BlockHash hash;
  const std::uint64_t* keys;
  const std::uint32_t* home;
  PeriodicBlocks periodic;
  std::uint32_t *corners, *around;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    constexpr std::uint32_t kCorners = BlockTraits<D>::kCorners, kAround = int_power(3, D);
    const std::uint32_t rank = g.index();
    if (home[rank] == 0) return;
    const std::uint64_t key = keys[rank];
    const Vec<int, D> block = block_of_key<D>(key);
    g.for_each(kCorners, [&](std::uint32_t c) {
      corners[rank * kCorners + c] = rank_of(key, corner_block<D>(block, static_cast<int>(c)));
    });
    if (around == nullptr) return;
    g.for_each(kAround, [&](std::uint32_t n) {
      around[static_cast<std::uint64_t>(rank) * kAround + n] =
          rank_of(key, neighbour_block<D>(block, static_cast<int>(n)));
    });
  }
  FIRN_HD std::uint32_t rank_of(std::uint64_t key, const Vec<int, D>& block) const {
    return hash.ranks[hash.find(key_beside<D>(key, periodic.wrapped(block)))];
  }
};

struct EnterBlocks {
  static constexpr const char* kName = "enter_blocks";
  BlockHash hash;
  const std::uint64_t* keys;
  const std::uint32_t* home;
  template <class Device>
  FIRN_HD void operator()(Device& device, std::uint32_t rank) const {
    hash.home[hash.insert(device, keys[rank])] = home[rank];
  }
};

// What follows from the sorted keys of the blocks and which of them are homes.
template <class Exec, int D, class Real>
void link_blocks(Exec& exec, const GridView<Real>& grid, const RebuildView& scratch,
                 const std::uint32_t* stop, const StepControl* control) {
  const DeviceCount n_blocks{&control->n_blocks, scratch.max_blocks};
  launch_items(
      exec, {{nullptr, scratch.max_blocks}, stop},
      RankBlocks<D>{grid.hash, grid.keys, grid.parities, grid.home, scratch.block_colour, control});
  launch_groups(
      exec, {n_blocks, stop},
      LinkBlocks<D>{grid.hash, grid.keys, grid.home, grid.periodic, grid.corners, grid.around});
  bucket_permutation(exec, scratch.block_colour, {nullptr, scratch.max_blocks},
                     {nullptr, static_cast<std::uint32_t>(int_power(grid.parities, D))}, stop,
                     nullptr, grid.coloured, grid.colour_begin);
}

}  // namespace firn
