// From particle positions to the next layout: which blocks exist, how they neighbour each other,
// and which chunk every particle belongs to. Runs at the start of every step, without the host. If
// blocks or chunks do not fit it raises kStopOverflow before it has changed any particle.
#pragma once

#include "kernels/collide/sinks.h"
#include "kernels/exec/backend.h"
#include "kernels/fields/blocks.h"
#include "kernels/fields/particles.h"
#include "kernels/step/control.h"

namespace firn {

// What near_layout.inl counts. Null where layouts are always found by sorting.
struct NearCounts {
  std::uint32_t* count = nullptr;  // per old bin 3^d: particles that are in that neighbour now
  // What rank a block had: of every new one, or, where the grid does not have all neighbours, of
  // the 3^d around each new one, as far as particles come from there.
  std::uint32_t* old_rank = nullptr;
  std::uint32_t* old_around = nullptr;
};

// Scratch and capacities of a rebuild; pointers into device memory.
struct RebuildView {
  std::uint32_t max_blocks = 0, max_chunks = 0, materials = 1;
  bool banks = false;      // there are two of max_chunks chunks: see particles.h
  bool staggered = false;  // particles add to faces: see spread_cells.inl
  // Per material the velocity field that it moves with (block_key); null: there is but one.
  const std::uint8_t* fields = nullptr;
  std::uint32_t* slot_block = nullptr;    // per particle slot: hash slot of its block, then its bin
  std::uint32_t* sort_spare = nullptr;    // 2 per particle slot
  std::uint32_t* order = nullptr;         // per particle slot: the permutation
  std::uint32_t* bin_begin = nullptr;     // per bin + 1
  std::uint32_t* bin_chunks = nullptr;    // per bin
  std::uint32_t* bin_first = nullptr;     // per bin + 1: first chunk
  std::uint32_t* block_colour = nullptr;  // per block
  NearCounts near_counts;                 // with it goes GridView::saved_keys, by save_keys
};

// Finds blocks and the permutation, and writes the new chunk table (over the old one) and the
// grid's tables. A particle's home is the block of floor(x / dx - shift): home_shift(params) puts
// every stencil of a transfer into the home block and its corners. Along periodic axes
// particles whose home lies beyond the ring come back at its other end.
template <class Exec, int D, class Real>
void rebuild_layout(Exec& exec, Real shift, const SinkView<Real>& sinks,
                    const ParticleView<Real>& particles, const GridView<Real>& grid,
                    const RebuildView& scratch, StepControl* control);

// Brings the grid's tables to a layout that is known: the chunk table, ascending GridView::keys and
// GridView::home, and the counts in `control`.
template <class Exec, int D, class Real>
void restore_layout(Exec& exec, const ParticleView<Real>& particles, const GridView<Real>& grid,
                    const RebuildView& scratch, StepControl* control);

// Components of a channel: row k of the c-th chunk of a layout is the 32 values from
// data[((first + c) * stride + k) * 32] on, `first` the first chunk of the bank.
enum class Bank : std::uint32_t {
  kNone,   // chunks are counted from 0
  kLive,   // which holds the particles, now
  kOther,  // which does not
};
template <class T>
struct ParticleRows {
  T* data = nullptr;
  int stride = 0;
  Bank bank = Bank::kNone;
};
template <class T>
struct RowMove {
  ParticleRows<T> from, to;
  int components = 0;
};
// What moves together.
template <class Real>
struct RowMoves {
  static constexpr int kMost = 6;
  RowMove<Real> reals[kMost];
  int count = 0;
  RowMove<std::uint32_t> ids;  // or none
};

// Brings rows into the layout that rebuild_layout has found: to(new slot) = from(old slot).
template <class Exec, class Real>
void permute_rows(Exec& exec, const RebuildView& scratch, const Chunk* chunks,
                  const RowMoves<Real>& moves, const StepControl* control,
                  const std::uint32_t* skip);

// Copies the rows of all chunks that hold particles.
template <class Exec, class Real>
void copy_rows(Exec& exec, const RebuildView& scratch, const RowMoves<Real>& moves,
               const StepControl* control, const std::uint32_t* skip);

// Before a rebuild that has NearCounts: keeps the keys of the layout that it will replace.
template <class Exec, class Real>
void save_keys(Exec& exec, const GridView<Real>& grid, std::uint32_t max_blocks,
               StepControl* control);

// Around a rebuild between fused steps: the momentum that lies on the grid follows its blocks.
// save_nodes, which keeps the keys as well, copies it to GridView::nodes, whose velocities are used
// up by then; carry_nodes brings it back, and sets to zero what is new. Without a carried momentum
// that is every node.
template <class Exec, class Real>
void save_nodes(Exec& exec, const GridView<Real>& grid, std::uint32_t max_blocks,
                StepControl* control);
template <class Exec, class Real>
void carry_nodes(Exec& exec, const GridView<Real>& grid, std::uint32_t max_blocks,
                 StepControl* control);

// Sets the nodes of all active blocks to zero; `components` as in GridStore.
template <class Exec, class Real>
void clear_nodes(Exec& exec, Real* channel, int components, std::uint32_t max_blocks,
                 const StepControl* control);

}  // namespace firn
