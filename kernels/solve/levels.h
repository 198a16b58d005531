// The multigrid hierarchy: each level is block-sparse like the grid itself, a coarse cell is the
// aggregate of 2^D cells, and the Galerkin operator of piecewise constant prolongation keeps the
// stencil. Ascending Morton keys make the parent of a block key >> D, in the same order. Blocks
// that no face couples to another block end there: they are solved where they are.
#pragma once

#include <cstdint>

#include "kernels/exec/backend.h"
#include "kernels/exec/launch.h"
#include "kernels/fields/blocks.h"

namespace firn {

inline constexpr int kMaxLevels = 16;
// The cycle visits levels twice per visit of the finer one (W) down to this level, below once (V):
// 2^l visits to each would cost more launches than work. In 2D levels shrink by 4 only, and more of
// them matter. Nor does it visit a level of few blocks twice, but for the first coarse one: there
// is little below it that a second visit would mend.
template <int D>
inline constexpr int kBranchingLevels = D == 3 ? 4 : 6;
inline constexpr std::uint32_t kFewBlocks = 8;

// Whether the cycle visits a level of `blocks` blocks twice, unless it is the coarsest. The finest
// one counts as such: conjugate gradients take the place of its second visit.
template <int D>
FIRN_HD constexpr bool branches(int level, std::uint32_t blocks) {
  return level <= 1 || (level <= kBranchingLevels<D> && blocks > kFewBlocks);
}

enum BlockKind : std::uint32_t {
  kBlockEmpty = 0,     // no active cell
  kBlockIsolated = 1,  // no face couples it to another block
  kBlockCoupled = 2,
  // All faces of its cells, those to its neighbours included, have one conductance, and there is
  // nothing else.
  kBlockUniform = 3
};
FIRN_HD constexpr bool is_coupled(std::uint32_t kind) { return kind >= kBlockCoupled; }

// What the host learns of the hierarchy, once per solve. Level 0 is the system's own; the coarser
// ones lie one after the other in a pool, level l at offset[l].
struct LevelTable {
  std::uint32_t count[kMaxLevels] = {};
  std::uint32_t offset[kMaxLevels] = {};
  std::uint32_t isolated[kMaxLevels] = {};  // whether it has blocks of kBlockIsolated
  std::uint32_t overflow = 0;               // the pool was too small
  std::uint32_t stuck = 0;                  // blocks of the coarsest level are still coupled,
  std::uint32_t ring = 0;                   // around a ring that cannot be halved
};

// One level, or the pool of all coarse ones. Neighbours are those a face couples, kNoBlock
// otherwise, in the order below, above along each axis.
template <class Real>
struct LevelView {
  const std::uint64_t* keys = nullptr;
  // Of a block with a parent, the cell of the coarser level, counted through its blocks, that the
  // block's first cell is part of; kNoBlock of others.
  std::uint32_t* origin = nullptr;
  std::uint32_t *neighbours = nullptr, *kind = nullptr;
  Real* uniform = nullptr;  // the conductance of a block of kBlockUniform
  const Real *conductance = nullptr, *dirichlet = nullptr, *mass = nullptr;
  const Real* rhs = nullptr;
  Real* solution = nullptr;

  template <int D>
  FIRN_HD LevelView at(std::uint32_t offset) const {
    constexpr std::uint64_t kNodes = BlockTraits<D>::kNodes;
    LevelView v = *this;
    v.keys += offset, v.origin += offset, v.kind += offset, v.uniform += offset;
    v.neighbours += std::uint64_t{2 * D} * offset;
    v.conductance += D * kNodes * offset;
    v.dirichlet += kNodes * offset;
    if (mass != nullptr) v.mass += kNodes * offset;
    v.rhs += kNodes * offset, v.solution += kNodes * offset;
    return v;
  }
};

// The channels of a coarse level that building it, or restriction to it, writes.
template <class Real>
struct CoarseView {
  std::uint64_t* keys = nullptr;
  Real *conductance = nullptr, *dirichlet = nullptr, *mass = nullptr, *rhs = nullptr;

  template <int D>
  FIRN_HD CoarseView at(std::uint32_t offset) const {
    constexpr std::uint64_t kNodes = BlockTraits<D>::kNodes;
    CoarseView v = *this;
    v.keys += offset, v.rhs += kNodes * offset;
    v.conductance += D * kNodes * offset;
    v.dirichlet += kNodes * offset;
    if (mass != nullptr) v.mass += kNodes * offset;
    return v;
  }
};

template <class Real>
struct Hierarchy {
  LevelView<Real> finest, pool;
  CoarseView<Real> coarse;  // the pool again
  PeriodicBlocks periodic;
  // Plain products on all levels: never too soft, see Coarsen.
  bool plain = false;
  std::uint32_t max_blocks = 0, pool_blocks = 0;
  std::uint32_t *flags = nullptr, *ranks = nullptr;  // max_blocks, max_blocks + 1
  LevelTable* table = nullptr;
};

// A range of levels, the finest being 0.
struct LevelRange {
  int begin = 0, end = kMaxLevels;
};

// Builds the hierarchy from the finest level's keys and coefficients: links the blocks of each
// level of the range and makes the level below it. It is whole where the range ends at kMaxLevels
// or at a level without blocks; else it can go on from there. On overflow of the pool the levels
// below it are left out.
template <class Exec, int D, class Real>
void build_levels(Exec& exec, const Hierarchy<Real>& hierarchy, DeviceCount blocks,
                  LevelRange range, const std::uint32_t* stop);

}  // namespace firn
