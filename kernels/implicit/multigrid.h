// Coarser grids for the linear systems of system.h: a preconditioner that adds to the blocks of
// single nodes a V cycle over B-splines of twice, four times ... the spacing [Wang et al. 2020]. A
// quadratic B-spline is a sum of those of half its width, with weights 1/4, 3/4, 3/4, 1/4 per axis,
// so that node j of a level lies between nodes 2j and 2j + 1 of the finer one and a block of a
// level has the place of 2^D finer ones.
//
// A coarse system is that of the same particles, gathered to points at the nodes of the finer
// level: the stiffness of all particles nearest to a node, a tensor over velocity gradients that
// further levels add up, and the node's weight: its mass, and where contacts hold it, a mass that
// does not let it move. The first is seen through coarse quadratic B-splines, the second through
// the weights between the levels. So matrices of coarse levels are positive as the system is,
// whatever the shape of the material, and smoothing by damped blocks keeps the cycle so. It costs
// no application of the system itself, as a cycle that smooths on the finest grid would.
#pragma once

#include "kernels/implicit/system.h"

namespace firn {

inline constexpr int kMostNodeLevels = 12;  // coarse ones

// A point's tensor: upper triangle over pairs (velocity component, derivative), in whole Nodes.
template <int D>
inline constexpr int kPointReals = (symmetric_components(D * D) + 3) / 4 * 4;
// Nodes that a coarse node is coupled to, itself among them.
template <int D>
inline constexpr int kCoupledNodes = int_power(5, D);

inline constexpr std::uint32_t kPackRows = 64;  // of a coarse matrix, side by side

template <class Real>
struct NodeLevel {
  const std::uint64_t* keys = nullptr;  // per block, ascending
  std::uint32_t blocks = 0;
  std::uint32_t* around = nullptr;  // per block 3^d ranks, the last axis fastest
  std::uint32_t* finer = nullptr;   // per block 2^d: its parts on the finer level
  // Per block 2^d on the coarser level: its parent, and along axes whose bit is set the neighbour
  // that the block lies beside.
  std::uint32_t* coarser = nullptr;
  Real* tensor = nullptr;  // [node][kPointReals]: stiffness of the points at the nodes
  Real* weight = nullptr;  // [node][8]: upper triangle
  // The matrix, of the nodes with a weight, in packs of rows: a row's node; the nodes that it is
  // coupled to, [pack][kCoupledNodes][row]; and how, [pack][kCoupledNodes * d * d][row].
  std::uint32_t rows = 0;
  std::uint32_t *row_node = nullptr, *column = nullptr;
  float* matrix = nullptr;
  Real* inverse = nullptr;  // [node][8]: of the blocks of single nodes
  Real *rhs = nullptr, *solution = nullptr, *residual = nullptr;  // Nodes
  double* partials = nullptr;                                     // 2 columns
  Real* damping = nullptr;                                        // of a smoothing step
  PeriodicBlocks periodic;
};

// Where lists are made dense: a flag per candidate, and where it goes, with one more place for how
// many there are.
struct PackScratch {
  std::uint64_t* candidates = nullptr;  // 2^d per finer block
  std::uint32_t *kept = nullptr, *places = nullptr;
};

// The keys of the blocks that prolongation to nodes of `finer` with a weight reads, ascending;
// their number is the last of the places.
template <class Exec, int D, class Real>
void find_coarser(Exec& exec, const NodeLevel<Real>& finer, const PeriodicBlocks& periodic,
                  const PackScratch& scratch, std::uint64_t* keys);
// Their tables, and the finer ones that lead to them.
template <class Exec, int D, class Real>
void link_levels(Exec& exec, const NodeLevel<Real>& finer, const NodeLevel<Real>& coarse);

// Points of the finest level. Weights, and tensors of 0; `inverse` of the view must hold the blocks
// as add_blocks leaves them. Then what particles add, of the last evaluation.
template <class Exec, int D, class Real>
void begin_points(Exec& exec, const ImplicitProblem<Real, D>& problem,
                  const NodeLevel<Real>& finest);
template <class Exec, int D, class Real>
void add_points(Exec& exec, const ImplicitProblem<Real, D>& problem, Real* tensor);

// Numbers the nodes of a coarse level that have a weight: of all its nodes, places with the number
// of them at the end; then the rows, whose view says how many there are.
template <class Exec, int D, class Real>
void count_rows(Exec& exec, const NodeLevel<Real>& coarse, const PackScratch& scratch);
template <class Exec, int D, class Real>
void place_rows(Exec& exec, const NodeLevel<Real>& coarse, const PackScratch& scratch);

// Points of a coarse level, and its matrix with the inverses of its blocks; `dx` its spacing.
template <class Exec, int D, class Real>
void coarsen_points(Exec& exec, const NodeLevel<Real>& finer, const NodeLevel<Real>& coarse);
template <class Exec, int D, class Real>
void assemble_nodes(Exec& exec, const NodeLevel<Real>& finer, const NodeLevel<Real>& coarse,
                    Real dx);
// The damping of a level: from the largest eigenvalue of D^-1 A, by power iterations.
template <class Exec, int D, class Real>
void find_damping(Exec& exec, const NodeLevel<Real>& level);

// residual = rhs - A solution.
template <class Exec, int D, class Real>
void subtract_nodes(Exec& exec, const NodeLevel<Real>& level, const std::uint32_t* stop);
// solution += damping D^-1 residual, or from 0 that of rhs.
template <class Exec, int D, class Real>
void smooth_nodes(Exec& exec, const NodeLevel<Real>& level, bool from_zero,
                  const std::uint32_t* stop);
// coarse.rhs = P^T values.
template <class Exec, int D, class Real>
void restrict_nodes(Exec& exec, const NodeLevel<Real>& coarse, const Real* values,
                    const std::uint32_t* stop);
// finer.solution += P coarse.solution.
template <class Exec, int D, class Real>
void prolong_nodes(Exec& exec, const NodeLevel<Real>& finer, const NodeLevel<Real>& coarse,
                   const std::uint32_t* stop);
// out = what contacts allow of P coarse.solution on the grid of `problem`.
template <class Exec, int D, class Real>
void prolong_to_grid(Exec& exec, const ImplicitProblem<Real, D>& problem,
                     const NodeLevel<Real>& finest, const NodeLevel<Real>& coarse, Real* out,
                     const std::uint32_t* stop);

// --- as conjugate gradients see it ---

// The blocks of single nodes, and what a cycle has left at `coarse`; null: nothing.
template <int D, class Real>
struct CorrectedInverse {
  BlockInverse<D, Real> blocks;
  const Real* coarse = nullptr;
  FIRN_HD Real operator()(std::uint32_t block, std::uint32_t i, std::uint64_t at) const {
    return blocks(block, i, at) + (coarse != nullptr ? coarse[at] : Real(0));
  }
};

}  // namespace firn
