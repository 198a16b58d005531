// From particle positions to the next layout: which blocks exist, how they neighbour each other,
// and which chunk every particle belongs to. Runs at the start of every step, without the host. If
// blocks or chunks do not fit it raises kStopOverflow before it has changed any particle.
#pragma once

#include "kernels/collide/sdf.h"
#include "kernels/exec/backend.h"
#include "kernels/grid/blocks.h"
#include "kernels/particles/layout.h"
#include "kernels/step/control.h"

namespace firn {

// Scratch and capacities of a rebuild; pointers into device memory.
struct RebuildView {
  std::uint32_t max_blocks = 0, max_chunks = 0, materials = 1;
  std::uint32_t* slot_block = nullptr;    // per particle slot: hash slot of its block, then its bin
  std::uint32_t* order = nullptr;         // per particle slot: the permutation
  std::uint32_t* bin_begin = nullptr;     // per bin + 1
  std::uint32_t* bin_chunks = nullptr;    // per bin
  std::uint32_t* bin_first = nullptr;     // per bin + 1: first chunk
  std::uint32_t* block_colour = nullptr;  // per block
};

// Regions that delete what enters them: shapes, and what lies beyond the open faces of the domain.
template <class Real>
struct SinkView {
  const SdfProgram<Real>* programs = nullptr;
  int count = 0;
  bool open = false;  // whether min and max hold; -+kLargest where a face is not open
  Real min[3] = {}, max[3] = {};
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

// Moves one channel of n components to its place in the new layout: out(new slot) = in(old slot).
// Bytes per value: 4 or 8.
template <class Exec, class T>
void permute_channel(Exec& exec, const RebuildView& scratch, const Chunk* chunks, const T* in,
                     int components, T* out, const StepControl* control, const std::uint32_t* skip);

// Copies the first chunks of a channel, as many as hold particles.
template <class Exec, class T>
void copy_chunks(Exec& exec, const T* in, int components, T* out, std::uint32_t max_chunks,
                 const StepControl* control, const std::uint32_t* skip);

// Around a rebuild between fused steps: the momentum that lies on the grid follows its blocks.
// save_nodes copies it to GridView::nodes, whose velocities are used up by then; carry_nodes brings
// it back, and sets to zero what is new. Without a carried momentum that is every node.
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
