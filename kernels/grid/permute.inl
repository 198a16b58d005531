// Moves the numbers of particles into a new layout: rows of 32 values, each lane from the slot that
// the permutation names. See rebuild.h.
#pragma once

#include "kernels/grid/rebuild.h"

namespace firn {

// Row k of the c-th chunk.
template <class T>
FIRN_HD inline T* row_of(const ParticleRows<T>& rows, const StepControl& control,
                         std::uint32_t max_chunks, std::uint32_t c) {
  std::uint32_t first = 0;
  if (rows.bank == Bank::kLive) first = control.first_chunk;
  if (rows.bank == Bank::kOther) first = max_chunks - control.first_chunk;
  return channel_row(rows.data, first + c, rows.stride, 0);
}

// One group per chunk of the new layout. Where each lane comes from is found once; then every
// component of every channel is a row of 32 gathered values.
template <class Real>
struct PermuteRows {
  static constexpr const char* kName = "permute_rows";
  static constexpr int kThreads = 64;
  struct Scratch {
    std::uint32_t from[kLanes];
  };
  const Chunk* chunks;
  const std::uint32_t* order;
  RowMoves<Real> moves;
  std::uint32_t max_chunks;
  const StepControl* control;

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const Chunk chunk = chunks[control->first_chunk + g.index()];
    g.for_each(kLanes, [&](std::uint32_t lane) {
      // Lanes beyond the count copy the last one: harmless, and the rows need no test.
      g.scratch.from[lane] = order[chunk.source + (lane < chunk.count ? lane : chunk.count - 1)];
    });
    g.sync();
    const auto gather = g.template gather_from<Real>(g.scratch.from);
    for (int m = 0; m < moves.count; ++m) move(gather, moves.reals[m], g.index());
    if (moves.ids.components > 0) move(gather, moves.ids, g.index());
  }
  template <class Gather, class T>
  FIRN_HD void move(const Gather& gather, const RowMove<T>& m, std::uint32_t chunk) const {
    gather.rows(static_cast<std::uint32_t>(m.components), row_of(m.from, *control, max_chunks, 0),
                static_cast<std::uint32_t>(m.from.stride),
                row_of(m.to, *control, max_chunks, chunk));
  }
  template <class Fetch>
  FIRN_HD void prefetch(std::uint32_t group, Fetch fetch) const {
    constexpr std::uint32_t kLine = 64 / sizeof(Real);  // values
    const Chunk chunk = chunks[control->first_chunk + group];
    // A whole chunk is a stream.
    if (order[chunk.source + chunk.count - 1] - order[chunk.source] == kLanes - 1) return;
    std::uint32_t last = ~0u;  // none yet
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
      const std::uint32_t slot = order[chunk.source + i];
      if (slot / kLine == last) continue;
      last = slot / kLine;
      for (int m = 0; m < moves.count; ++m) fetch_rows(moves.reals[m], slot, fetch);
      if (moves.ids.components > 0) fetch_rows(moves.ids, slot, fetch);
    }
  }
  template <class T, class Fetch>
  FIRN_HD void fetch_rows(const RowMove<T>& m, std::uint32_t slot, Fetch fetch) const {
    const T* row = row_of(m.from, *control, max_chunks, slot / kLanes) + slot % kLanes;
    for (int k = 0; k < m.components; ++k) fetch(row + k * kLanes, sizeof(T));
  }
};

template <class Exec, class Real>
void permute_rows(Exec& exec, const RebuildView& scratch, const Chunk* chunks,
                  const RowMoves<Real>& moves, const StepControl* control,
                  const std::uint32_t* skip) {
  launch_groups(exec, {{&control->n_chunks, scratch.max_chunks}, skip},
                PermuteRows<Real>{chunks, scratch.order, moves, scratch.max_chunks, control});
}

template <class Real>
struct CopyRows {
  static constexpr const char* kName = "copy_rows";
  static constexpr int kThreads = 64;
  struct Scratch {};
  RowMoves<Real> moves;
  std::uint32_t max_chunks;
  const StepControl* control;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    for (int m = 0; m < moves.count; ++m) copy(g, moves.reals[m]);
    if (moves.ids.components > 0) copy(g, moves.ids);
  }
  template <class Group, class T>
  FIRN_HD void copy(Group& g, const RowMove<T>& m) const {
    const T* from = row_of(m.from, *control, max_chunks, g.index());
    T* to = row_of(m.to, *control, max_chunks, g.index());
    g.for_each(static_cast<std::uint32_t>(m.components) * kLanes,
               [&](std::uint32_t i) { to[i] = from[i]; });
  }
};

template <class Exec, class Real>
void copy_rows(Exec& exec, const RebuildView& scratch, const RowMoves<Real>& moves,
               const StepControl* control, const std::uint32_t* skip) {
  launch_groups(exec, {{&control->n_chunks, scratch.max_chunks}, skip},
                CopyRows<Real>{moves, scratch.max_chunks, control});
}

}  // namespace firn
