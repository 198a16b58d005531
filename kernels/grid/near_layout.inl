// A new layout from the old one, without a sort of the particles: between two layouts a particle
// stays in its block or enters one beside it. Each old bin (block and material) counts how many go
// to which neighbour; these few counts are grouped by new bin, in the order of the old ones, and
// added up; then every particle knows its place. The result is that of the sort in rebuild.inl,
// which takes over where one particle went further, or is new.
#pragma once

#include "kernels/exec/algorithms.h"
#include "kernels/exec/generic_scalar.h"
#include "kernels/grid/rebuild.h"
#include "kernels/transfer/modes.h"
#include "kernels/transfer/spline.h"

namespace firn {

inline constexpr std::uint32_t kDropped = 0xffffffffu;

// Enters a particle's home block; returns its place in the hash, or raises an overflow.
template <int D, class Group>
FIRN_HD inline std::uint32_t enter_home(const Group& g, const BlockHash& hash,
                                        const Vec<int, D>& block, StepControl* control) {
  const std::uint32_t slot = hash.insert(g, block_key<D>(block));
  if (slot == kNoBlock)
    raise(g, control, kStopOverflow);
  else if (hash.home[slot] == 0)
    g.atomic_or(hash.home[slot], 1);
  return slot;
}

// Decides whether the old tables say where every particle was.
template <int D>
struct OpenLayout {
  static constexpr const char* kName = "open_layout";
  bool has_counts;
  StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    StepControl& c = *control;
    const bool near = has_counts && c.placed_chunks == c.n_chunks;
    c.skip_near = near ? 0 : 1;
    c.skip_sort = near ? 1 : 0;
    c.near_bins = c.n_bins;
    c.near_counts = c.n_bins * static_cast<std::uint32_t>(int_power(3, D));
    c.placed_chunks = 0;  // until the new tables are complete
    c.needed_blocks = 0;
  }
};
// Once the particles have been looked at.
struct ChooseSort {
  static constexpr const char* kName = "choose_sort";
  StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t) const {
    control->skip_sort = control->skip_near == 0 ? 1 : 0;
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

  FIRN_HD Vec<int, D> home(std::uint32_t bin) const {
    return block_of_key<D>(keys[bin / materials]);
  }
  // f(lanes, neighbours, near): the neighbour of the bin's block that each particle is in
  // (neighbour_block), and whether it is in one.
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
          f(lanes, neighbour, near);
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
  static constexpr int kThreads = 128;
  using Old = OldBins<D, Real>;
  struct Scratch {
    std::uint32_t count[Old::kAround];
  };
  Old old;
  PeriodicBlocks periodic;
  BlockHash hash;
  NearCounts near_counts;
  StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t bin = g.index();
    const Vec<int, D> block = old.home(bin);
    g.for_each(Old::kAround, [&](std::uint32_t n) { g.scratch.count[n] = 0; });
    g.sync();
    old.for_each_pack(g, bin, block,
                      [&](const auto& lanes, const auto& neighbour, const auto& near) {
                        count(g, lanes, neighbour, near);
                      });
    g.sync();
    g.for_each(Old::kAround, [&](std::uint32_t n) {
      const std::uint32_t here = bin * Old::kAround + n, count = g.scratch.count[n];
      near_counts.count[here] = count;
      near_counts.bin[here] = kDropped;
      if (count == 0) return;
      const Vec<int, D> to = neighbour_block<D>(block, static_cast<int>(n));
      if (is_across(to)) return leave_to_sort(g);
      near_counts.bin[here] = enter_home<D>(g, hash, to, control);
    });
  }

  template <class Group, class Lanes, class T, class Mask>
  FIRN_HD void count(Group& g, const Lanes& lanes, const T& neighbour, const Mask& near) const {
    if (any(lanes.active() && !near)) return leave_to_sort(g);
    if (all(!near || neighbour == T(static_cast<Real>(Old::kStay)))) {
      const auto stay = static_cast<std::uint32_t>(lanes.active_lanes());
      if (stay > 0) g.accumulate(g.scratch.count[Old::kStay], stay);
      return;
    }
    typename Lanes::template Table<1> bins;
    bins.set(0, neighbour);
    lanes.for_each_lane([&](int i, std::uint32_t) {
      g.accumulate(g.scratch.count[static_cast<std::uint32_t>(bins.at(0, i))], 1u);
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

// From places in the hash to new bins.
template <int D>
struct NameNear {
  static constexpr const char* kName = "name_near";
  const std::uint32_t* ranks;
  std::uint32_t materials;
  std::uint32_t* bin;
  const StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    if (i >= control->near_counts) bin[i] = kNoBin;
    if (bin[i] == kNoBin) return;
    const std::uint32_t material = i / static_cast<std::uint32_t>(int_power(3, D)) % materials;
    bin[i] = ranks[bin[i]] * materials + material;
  }
};

struct SumNear {
  static constexpr const char* kName = "sum_near";
  NearCounts near_counts;
  std::uint32_t* bin_particles;
  const StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t bin) const {
    std::uint32_t sum = 0;
    if (bin < control->n_bins)
      for (std::uint32_t i = near_counts.begin[bin]; i < near_counts.begin[bin + 1]; ++i)
        sum += near_counts.count[near_counts.order[i]];
    bin_particles[bin] = sum;
  }
};
// Replaces each count by the place of its first particle.
struct StartNear {
  static constexpr const char* kName = "start_near";
  NearCounts near_counts;
  const std::uint32_t* bin_begin;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t bin) const {
    std::uint32_t next = bin_begin[bin];
    for (std::uint32_t i = near_counts.begin[bin]; i < near_counts.begin[bin + 1]; ++i) {
      std::uint32_t& count = near_counts.count[near_counts.order[i]];
      const std::uint32_t particles = count;
      count = next;
      next += particles;
    }
  }
};

template <int D, class Real>
struct PlaceNear {
  static constexpr const char* kName = "place_near";
  static constexpr int kThreads = 32;  // so that places are handed out in order
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
    g.for_each(Old::kAround,
               [&](std::uint32_t n) { g.scratch.next[n] = start[bin * Old::kAround + n]; });
    g.sync();
    old.for_each_pack(
        g, bin, old.home(bin), [&](const auto& lanes, const auto& neighbour, const auto&) {
          typename std::remove_cvref_t<decltype(lanes)>::template Table<1> bins;
          bins.set(0, neighbour);
          const std::uint32_t slot = (lanes.chunk - bank) * kLanes;
          lanes.take_places(bins, g.scratch.next, [&](std::uint32_t lane, std::uint32_t place) {
            order[place] = slot + lane;
          });
        });
  }
};

// The bins' particles, once the blocks have their ranks.
template <class Exec, int D, class Real>
void add_up_near(Exec& exec, const GridView<Real>& grid, const RebuildView& scratch,
                 StepControl* control) {
  constexpr std::uint32_t kAround = OldBins<D, Real>::kAround;
  const std::uint32_t* skip = &control->skip_near;
  const NearCounts& near_counts = scratch.near_counts;
  const std::uint32_t max_bins = scratch.max_blocks * scratch.materials;
  const DeviceCount n_bins{&control->n_bins, max_bins};
  const DeviceCount counts{Exec::kIsCuda ? nullptr : &control->near_counts, max_bins * kAround};
  const bool spare_fits = counts.bound <= scratch.max_chunks * kLanes;
  launch_items(exec, {counts, skip},
               NameNear<D>{grid.hash.ranks, scratch.materials, near_counts.bin, control});
  bucket_permutation(exec, near_counts.bin, counts, n_bins, skip,
                     spare_fits ? scratch.sort_spare : nullptr, near_counts.order,
                     near_counts.begin);
  launch_items(exec, {{nullptr, max_bins}, skip},
               SumNear{near_counts, scratch.bin_chunks, control});
  exclusive_scan(exec, scratch.bin_chunks, {nullptr, max_bins}, skip, scratch.bin_begin);
  launch_items(exec, {n_bins, skip}, StartNear{near_counts, scratch.bin_begin});
}

}  // namespace firn
