// A layout from the positions of particles, or from what a checkpoint holds: the chunks of each
// block, and the order of the passes. active_blocks.inl finds the blocks, near_layout.inl the order
// of the particles where it can. See rebuild.h.
#pragma once

#include <type_traits>

#include "kernels/exec/algorithms.h"
#include "kernels/exec/replay.h"
#include "kernels/grid/active_blocks.inl"
#include "kernels/grid/carry.inl"
#include "kernels/grid/near_layout.inl"
#include "kernels/grid/permute.inl"
#include "kernels/grid/rebuild.h"
#include "kernels/grid/spread_cells.inl"

namespace firn {

struct BinParticles {
  static constexpr const char* kName = "bin_particles";
  const std::uint32_t* ranks;
  const Chunk* chunks;
  std::uint32_t materials;
  std::uint32_t* slot_block;
  const StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t slot) const {
    if (slot_block[slot] == kDropped) return;
    slot_block[slot] =
        ranks[slot_block[slot]] * materials + chunks[control->first_chunk + slot / kLanes].material;
  }
};

struct CountChunks {
  static constexpr const char* kName = "count_chunks";
  const std::uint32_t* bin_begin;
  std::uint32_t* bin_chunks;
  const StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t bin) const {
    bin_chunks[bin] =
        bin < control->n_bins ? (bin_begin[bin + 1] - bin_begin[bin] + kLanes - 1) / kLanes : 0;
  }
};

struct AdoptChunkCount {
  static constexpr const char* kName = "adopt_chunk_count";
  const std::uint32_t *bin_first, *bin_begin;
  std::uint32_t max_chunks;
  bool banks;
  StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device& device, std::uint32_t) const {
    control->needed_chunks = bin_first[control->n_bins];
    if (control->needed_chunks > max_chunks) {
      raise(device, control, kStopOverflow);
      return;
    }
    ++control->layouts;
    control->n_chunks = control->needed_chunks;
    control->n_slots = control->n_chunks * kLanes;
    control->placed_chunks = control->n_chunks;
    const std::uint32_t kept = bin_begin[control->n_bins];
    control->removed += control->n_particles - kept;
    control->n_particles = kept;
    if (banks && control->skip_bank_change == 0)
      control->first_chunk = max_chunks - control->first_chunk;
  }
};

struct WriteChunks {
  static constexpr const char* kName = "write_chunks";
  const std::uint32_t *bin_begin, *bin_first;
  std::uint32_t materials;
  Chunk* chunks;
  std::uint32_t* block_chunk_begin;
  const StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t bin) const {
    const std::uint32_t end = bin_begin[bin + 1], bank = control->first_chunk;
    std::uint32_t source = bin_begin[bin];
    for (std::uint32_t chunk = bin_first[bin]; chunk < bin_first[bin + 1];
         ++chunk, source += kLanes) {
      const std::uint32_t left = end - source;
      chunks[bank + chunk] = {bin / materials, bin % materials, left < kLanes ? left : kLanes,
                              source};
    }
    if (bin % materials == 0) block_chunk_begin[bin / materials] = bank + bin_first[bin];
    if ((bin + 1) % materials == 0)
      block_chunk_begin[bin / materials + 1] = bank + bin_first[bin + 1];
  }
};

// The permutation and the beginnings of the bins in it.
template <class Exec, int D, class Real>
void sort_particles(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
                    const RebuildView& scratch, StepControl* control) {
  const std::uint32_t* skip = &control->skip_sort;
  const DeviceCount n_bins{&control->n_bins, scratch.max_blocks * scratch.materials};
  const DeviceCount n_slots{Exec::kIsCuda ? nullptr : &control->n_slots,
                            scratch.max_chunks * kLanes};
  launch_items(exec, {n_slots, skip},
               BinParticles{grid.hash.ranks, particles.chunks, scratch.materials,
                            scratch.slot_block, control});
  bucket_permutation(exec, scratch.slot_block, n_slots, n_bins, skip, scratch.sort_spare,
                     scratch.order, scratch.bin_begin);
}

template <class Exec, int D, class Real>
void mark_homes(Exec& exec, Real shift, const SinkView<Real>& sinks,
                const ParticleView<Real>& particles, const GridView<Real>& grid,
                const RebuildView& scratch, StepControl* control) {
  const auto launch = [&](auto has_fields) {
    using Mark = MarkHomes<D, Real, decltype(has_fields)::value>;
    constexpr std::uint32_t kPerGroup = Mark::kChunksPerGroup;
    launch_groups(
        exec, {{nullptr, (scratch.max_chunks + kPerGroup - 1) / kPerGroup}, &control->skip_sort},
        Mark{grid.dx, grid.inv_dx, shift, grid.periodic, sinks, particles, grid.hash,
             scratch.fields, scratch.slot_block, control, scratch.max_chunks * kLanes});
  };
  if (scratch.fields != nullptr)
    launch(std::true_type{});
  else
    launch(std::false_type{});
}

template <class Exec, int D, class Real>
void rebuild_layout(Exec& exec, Real shift, const SinkView<Real>& sinks,
                    const ParticleView<Real>& particles, const GridView<Real>& grid,
                    const RebuildView& scratch, StepControl* control) {
  const std::uint32_t* stop = &control->skip_layout;
  const std::uint32_t table = grid.hash.mask + 1;
  const std::uint32_t max_blocks = scratch.max_blocks, max_bins = max_blocks * scratch.materials;
  const DeviceCount n_blocks{&control->n_blocks, max_blocks}, n_bins{&control->n_bins, max_bins},
      old_bins{&control->old_bins, max_bins};
  // The sort finds who leaves the simulation.
  const bool has_counts = scratch.near_counts.count != nullptr && sinks.count == 0 && !sinks.open;
  const OldBins<D, Real> old{
      grid.inv_dx,       shift,  particles, grid.saved_keys, scratch.bin_first,
      scratch.materials, control};

  launch_items(exec, {{nullptr, 1}, stop}, OpenLayout{has_counts, control});
  if (has_counts) {
    launch_groups(exec, {old_bins, &control->skip_near},
                  CountNear<D, Real>{old, grid.periodic, scratch.near_counts.count, control});
    launch_items(exec, {{nullptr, 1}, stop}, CloseCount{control});
  }
  launch_items(exec, {{nullptr, table}, stop},
               ClearHash{grid.hash, grid.keys, max_blocks, nullptr});
  if (has_counts)
    launch_groups(exec, {old_bins, &control->skip_near},
                  EnterNear<D, Real>{old, grid.hash, scratch.near_counts.count, control});
  mark_homes<Exec, D>(exec, shift, sinks, particles, grid, scratch, control);
  launch_groups(exec, {{nullptr, (table - 1) / MarkHalo<D>::kPlaces + 1}, stop},
                MarkHalo<D>{grid.hash, grid.periodic, grid.halo, control});
  launch_items(exec, {{nullptr, table}, stop},
               CompactBlocks{grid.hash, grid.keys, max_blocks, control});
  launch_items(exec, {{nullptr, 1}, stop}, AdoptBlockCount{max_blocks, scratch.materials, control});
  sort_keys(exec, grid.keys, n_blocks, stop);
  link_blocks<Exec, D>(exec, grid, scratch, stop, control);
  if (has_counts) add_up_near<Exec, D>(exec, grid, scratch, control);
  run_unless(exec, &control->skip_sort,
             [&] { sort_particles<Exec, D>(exec, particles, grid, scratch, control); });
  if (has_counts)
    launch_groups(exec, {old_bins, &control->skip_near},
                  PlaceNear<D, Real>{old, scratch.near_counts.count, scratch.order});
  if constexpr (Exec::kIsCuda)
    launch_groups(exec, {n_bins, stop},
                  SpreadCells<D, Real>{grid.inv_dx, shift, scratch.staggered, particles, grid.keys,
                                       scratch.bin_begin, scratch.materials, scratch.order,
                                       scratch.sort_spare, control});
  launch_items(exec, {{nullptr, max_bins}, stop},
               CountChunks{scratch.bin_begin, scratch.bin_chunks, control});
  exclusive_scan(exec, scratch.bin_chunks, {nullptr, max_bins}, stop, scratch.bin_first);
  launch_items(exec, {{nullptr, 1}, stop},
               AdoptChunkCount{scratch.bin_first, scratch.bin_begin, scratch.max_chunks,
                               scratch.banks, control});
  launch_items(exec, {n_bins, stop},
               WriteChunks{scratch.bin_begin, scratch.bin_first, scratch.materials,
                           particles.chunks, grid.chunk_begin, control});
}

// The first chunk of every block: each chunk fills the blocks between its predecessor's and its
// own.
struct FindChunks {
  static constexpr const char* kName = "find_chunks";
  const Chunk* chunks;
  std::uint32_t* block_chunk_begin;
  const StepControl* control;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    if (i > control->n_chunks) return;
    const std::uint32_t here = control->first_chunk + i;
    const std::uint32_t from = i == 0 ? 0 : chunks[here - 1].block + 1;
    const std::uint32_t last = i == control->n_chunks ? control->n_blocks : chunks[here].block;
    for (std::uint32_t b = from; b <= last; ++b) block_chunk_begin[b] = here;
  }
};

template <class Exec, int D, class Real>
void restore_layout(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
                    const RebuildView& scratch, StepControl* control) {
  launch_items(exec, {{nullptr, grid.hash.mask + 1}, nullptr},
               ClearHash{grid.hash, grid.keys, scratch.max_blocks, &control->n_blocks});
  launch_items(exec, {{&control->n_blocks, scratch.max_blocks}, nullptr},
               EnterBlocks{grid.hash, grid.keys, grid.home});
  link_blocks<Exec, D>(exec, grid, scratch, nullptr, control);
  launch_items(exec, {{nullptr, scratch.max_chunks + 1}, nullptr},
               FindChunks{particles.chunks, grid.chunk_begin, control});
}

template <class Real>
struct ClearNodes {
  static constexpr const char* kName = "clear_nodes";
  static constexpr int kThreads = 256;
  struct Scratch {};
  Real* channel;
  std::uint32_t components;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t n = 64 * 4 * components;
    Real* block = channel + static_cast<std::uint64_t>(g.index()) * n;
    g.for_each(n, [&](std::uint32_t i) { block[i] = Real(0); });
  }
};

template <class Exec, class Real>
void clear_nodes(Exec& exec, Real* channel, int components, std::uint32_t max_blocks,
                 const StepControl* control) {
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                ClearNodes<Real>{channel, static_cast<std::uint32_t>(components)});
}

}  // namespace firn
