// Moves the numbers of particles into a new layout: rows of 32 values, each lane from the slot that
// the permutation names. See rebuild.h.
#pragma once

#include "kernels/grid/rebuild.h"

namespace firn {

// Where banks begin: read once, since what rows are written to might be the control block for all
// that a compiler knows.
struct BankStarts {
  std::uint32_t live, other;
  FIRN_HD BankStarts(const StepControl& control, std::uint32_t max_chunks)
      : live(control.first_chunk), other(max_chunks - control.first_chunk) {}
  // Row 0 of the c-th chunk.
  template <class T>
  FIRN_HD T* row(const ParticleRows<T>& rows, std::uint32_t c) const {
    const std::uint32_t first = rows.bank == Bank::kLive    ? live
                                : rows.bank == Bank::kOther ? other
                                                            : 0;
    return channel_row(rows.data, first + c, rows.stride, 0);
  }
};

// One group per chunk of the new layout. Where each lane comes from is found once; then every
// component of every channel is a row of 32 gathered values.
template <class Real>
struct PermuteRows {
  static constexpr const char* kName = "permute_rows";
  static constexpr int kThreads = 32;
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
    const BankStarts banks(*control, max_chunks);
    const Chunk chunk = chunks[banks.live + g.index()];
    g.for_each(kLanes, [&](std::uint32_t lane) {
      // Lanes beyond the count copy the last one: harmless, and the rows need no test.
      g.scratch.from[lane] = order[chunk.source + (lane < chunk.count ? lane : chunk.count - 1)];
    });
    g.sync();
    const auto gather = g.template gather_from<Real>(g.scratch.from);
    for (int m = 0; m < moves.count; ++m) move(gather, moves.reals[m], banks, g.index());
    if (moves.ids.components > 0) move(gather, moves.ids, banks, g.index());
  }
  template <class Gather, class T>
  FIRN_HD static void move(const Gather& gather, const RowMove<T>& m, const BankStarts& banks,
                           std::uint32_t chunk) {
    gather.rows(static_cast<std::uint32_t>(m.components), banks.row(m.from, 0),
                static_cast<std::uint32_t>(m.from.stride), banks.row(m.to, chunk));
  }
  template <class Fetch>
  FIRN_HD void prefetch(std::uint32_t group, Fetch fetch) const {
    constexpr std::uint32_t kLine = 64 / sizeof(Real);  // values
    const BankStarts banks(*control, max_chunks);
    const Chunk chunk = chunks[banks.live + group];
    // A whole chunk is a stream.
    if (order[chunk.source + chunk.count - 1] - order[chunk.source] == kLanes - 1) return;
    std::uint32_t last = ~0u;  // none yet
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
      const std::uint32_t slot = order[chunk.source + i];
      if (slot / kLine == last) continue;
      last = slot / kLine;
      for (int m = 0; m < moves.count; ++m) fetch_rows(moves.reals[m], banks, slot, fetch);
      if (moves.ids.components > 0) fetch_rows(moves.ids, banks, slot, fetch);
    }
  }
  template <class T, class Fetch>
  FIRN_HD static void fetch_rows(const RowMove<T>& m, const BankStarts& banks, std::uint32_t slot,
                                 Fetch fetch) {
    const T* row = banks.row(m.from, slot / kLanes) + slot % kLanes;
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
  static constexpr int kThreads = 32;
  struct Scratch {};
  RowMoves<Real> moves;
  std::uint32_t max_chunks;
  const StepControl* control;
  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const BankStarts banks(*control, max_chunks);
    for (int m = 0; m < moves.count; ++m) copy(g, moves.reals[m], banks);
    if (moves.ids.components > 0) copy(g, moves.ids, banks);
  }
  template <class Group, class T>
  FIRN_HD static void copy(Group& g, const RowMove<T>& m, const BankStarts& banks) {
    const T* from = banks.row(m.from, g.index());
    T* to = banks.row(m.to, g.index());
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
