// The levels of kernels/implicit/multigrid.h in a backend's memory, and the order of a cycle over
// them.
#pragma once

#include <algorithm>
#include <deque>

#include "kernels/exec/buffer.h"
#include "kernels/implicit/multigrid.h"
#include "src/solvers/krylov.h"

namespace firn {

template <class Exec, int D, class Real>
class NodeMultigrid {
  using Problem = ImplicitProblem<Real, D>;
  static constexpr std::size_t kNodes = BlockTraits<D>::kNodes, kParts = std::size_t{1} << D,
                               kAround = int_power(3, D);

 public:
  explicit NodeMultigrid(Exec& exec) : exec_(exec) {}

  // Blocks are found anew by the next build().
  void forget() { found_ = false; }
  bool is_empty() const { return count_ < 2; }

  // Points, matrices and dampings of all levels. After add_blocks, and before invert_blocks.
  void build(const Problem& problem, std::uint32_t blocks) {
    if (levels_.empty()) levels_.emplace_back(exec_);
    Level& finest = levels_.front();
    finest.reserve_points(blocks);
    finest.view.keys = problem.grid.keys;
    finest.view.blocks = blocks;
    finest.view.periodic = problem.grid.periodic;
    begin_points(exec_, problem, finest.view);
    const bool anew = !found_;
    if (anew) find_levels();
    add_points(exec_, problem, finest.view.tensor);
    Real dx = problem.grid.dx;
    for (std::size_t l = 1; l < count_; ++l) {
      dx *= Real(2);
      coarsen_points<Exec, D, Real>(exec_, levels_[l - 1].view, levels_[l].view);
      assemble_nodes<Exec, D, Real>(exec_, levels_[l - 1].view, levels_[l].view, dx);
      // An eigenvalue depends on where material is far more than on its stiffness.
      if (anew) find_damping<Exec, D, Real>(exec_, levels_[l].view);
    }
  }

  // z = what coarse levels make of r; there must be one.
  void correct(const Problem& problem, const Real* r, Real* z) {
    const std::uint32_t* stop = gate_of(problem);
    for (std::size_t l = 1; l < count_; ++l) {
      const NodeLevel<Real>& level = levels_[l].view;
      restrict_nodes<Exec, D>(exec_, level, l == 1 ? r : levels_[l - 1].view.residual, stop);
      smooth_nodes<Exec, D>(exec_, level, true, stop);
      const bool coarsest = l + 1 == count_;
      for (int sweep = 1; coarsest && sweep < kCoarsestSweeps; ++sweep) improve(level, stop);
      if (!coarsest) subtract_nodes<Exec, D>(exec_, level, stop);
    }
    for (std::size_t l = count_ - 1; l-- > 1;) {
      prolong_nodes<Exec, D>(exec_, levels_[l].view, levels_[l + 1].view, stop);
      improve(levels_[l].view, stop);
    }
    prolong_to_grid<Exec, D>(exec_, problem, levels_[0].view, levels_[1].view, z, stop);
  }

  std::size_t bytes() const {
    std::size_t sum = candidates_.bytes() + keys_.bytes() + kept_.bytes() + places_.bytes();
    for (const Level& level : levels_) sum += level.bytes();
    return sum;
  }
  // About what bytes() says of a grid of so many blocks, for estimates: there are fewer coarse
  // ones, with more rows each, the thicker the material is.
  static std::size_t bytes_for(std::uint32_t blocks) {
    constexpr std::size_t kPoint = kNodes * (kPointReals<D> + 8) * sizeof(Real) + 4 * kParts;
    constexpr std::size_t kCoarse = kPoint + kNodes * 20 * sizeof(Real);
    constexpr std::size_t kRow = kCoupledNodes<D> * (D * D + 1) * 4;
    const std::size_t coarse = blocks / (D == 3 ? 3 : 2), rows = coarse * kNodes / 2;
    return (kPoint * blocks + kCoarse * coarse + kRow * rows) * 5 / 4 + 24 * kParts * blocks;
  }

 private:
  static constexpr int kCoarsestSweeps = 4;

  struct Level {
    explicit Level(Exec& backend) : exec(&backend) {}

    // Points and the way to the next level.
    void reserve_points(std::uint32_t blocks) {
      enlarge(tensor, kPointReals<D> * kNodes * blocks);
      enlarge(weight, 8 * kNodes * blocks);
      enlarge(coarser, kParts * blocks);
      view.tensor = tensor.data(), view.weight = weight.data(), view.coarser = coarser.data();
    }
    void reserve(std::uint32_t blocks) {
      reserve_points(blocks);
      enlarge(keys, blocks);
      enlarge(around, kAround * blocks);
      enlarge(finer, kParts * blocks);
      enlarge(inverse, 8 * kNodes * blocks);
      for (auto* channel : {&rhs, &solution, &residual}) enlarge(*channel, 4 * kNodes * blocks);
      // Beside rows nothing is written, and nothing may be seen.
      inverse.zero();
      residual.zero();
      enlarge(partials, 2 * std::size_t{blocks});
      enlarge(damping, 1);
      view.keys = keys.data(), view.around = around.data(), view.finer = finer.data();
      view.inverse = inverse.data();
      view.rhs = rhs.data(), view.solution = solution.data(), view.residual = residual.data();
      view.partials = partials.data(), view.damping = damping.data();
    }
    void reserve_rows(std::uint32_t rows) {
      const std::size_t padded = (std::size_t{rows} + kPackRows - 1) / kPackRows * kPackRows;
      enlarge(row_node, padded);
      enlarge(column, kCoupledNodes<D> * padded);
      enlarge(matrix, kCoupledNodes<D> * D * D * padded);
      // Those behind the last row are read, and come to nothing.
      column.zero();
      view.rows = rows;
      view.row_node = row_node.data(), view.column = column.data(), view.matrix = matrix.data();
    }
    template <class T>
    void enlarge(Buffer<Exec, T>& buffer, std::size_t size) {
      if (buffer.size() < size) renew(*exec, buffer, size + size / 4);
    }
    std::size_t bytes() const {
      std::size_t sum = keys.bytes() + matrix.bytes() + partials.bytes();
      for (const auto* b : {&around, &finer, &coarser, &row_node, &column}) sum += b->bytes();
      for (const auto* b : {&tensor, &weight, &inverse, &rhs, &solution, &residual, &damping})
        sum += b->bytes();
      return sum;
    }

    Exec* exec;
    NodeLevel<Real> view;
    Buffer<Exec, std::uint64_t> keys;
    Buffer<Exec, std::uint32_t> around, finer, coarser, row_node, column;
    Buffer<Exec, Real> tensor, weight, inverse, rhs, solution, residual;
    Buffer<Exec, float> matrix;
    Buffer<Exec, double> partials;
    Buffer<Exec, Real> damping;
  };

  // Until a level is no smaller than the one before; there is one at least.
  void find_levels() {
    for (count_ = 1; count_ <= kMostNodeLevels; ++count_) {
      if (levels_.size() == count_) levels_.emplace_back(exec_);
      Level &finer = levels_[count_ - 1], &coarse = levels_[count_];
      const std::uint32_t candidates = finer.view.blocks << D;
      if (candidates_.size() < candidates) {
        renew(exec_, candidates_, candidates);
        renew(exec_, keys_, candidates);
      }
      const PackScratch scratch = scratch_for(candidates);
      const PeriodicBlocks periodic = halved(finer.view.periodic);
      find_coarser<Exec, D>(exec_, finer.view, periodic, scratch, keys_.data());
      const std::uint32_t blocks = count_at(candidates);
      if (blocks == 0 || (count_ > 1 && blocks >= finer.view.blocks)) break;
      coarse.reserve(blocks);
      coarse.view.blocks = blocks;
      coarse.view.periodic = periodic;
      exec_.copy(coarse.keys.data(), keys_.data(), blocks * sizeof(std::uint64_t));
      link_levels<Exec, D>(exec_, finer.view, coarse.view);
      coarsen_points<Exec, D, Real>(exec_, finer.view, coarse.view);
      const PackScratch nodes = scratch_for(blocks * static_cast<std::uint32_t>(kNodes));
      count_rows<Exec, D>(exec_, coarse.view, nodes);
      coarse.reserve_rows(count_at(blocks * static_cast<std::uint32_t>(kNodes)));
      place_rows<Exec, D>(exec_, coarse.view, nodes);
    }
    found_ = true;
  }
  PackScratch scratch_for(std::uint32_t flags) {
    if (kept_.size() < flags) {
      renew(exec_, kept_, flags);
      renew(exec_, places_, flags + 1);
    }
    return {candidates_.data(), kept_.data(), places_.data()};
  }
  // How many flags a scan over so many has found.
  std::uint32_t count_at(std::uint32_t flags) const {
    std::uint32_t count = 0;
    exec_.download(&count, places_.data() + flags, sizeof count);
    return count;
  }
  // A ring that cannot be halved is cut open.
  static PeriodicBlocks halved(const PeriodicBlocks& of) {
    PeriodicBlocks p;
    for (int a = 0; a < D; ++a)
      if (of.count[a] % 2 == 0 && of.count[a] > 0)
        p.first[a] = of.first[a] >> 1, p.count[a] = of.count[a] / 2;
    return p;
  }
  void improve(const NodeLevel<Real>& level, const std::uint32_t* stop) {
    subtract_nodes<Exec, D>(exec_, level, stop);
    smooth_nodes<Exec, D>(exec_, level, false, stop);
  }

  Exec& exec_;
  std::deque<Level> levels_;  // the grid's own, then the coarse ones; they stay where they are
  std::size_t count_ = 0;     // of them in use
  bool found_ = false;
  Buffer<Exec, std::uint64_t> candidates_, keys_;
  Buffer<Exec, std::uint32_t> kept_, places_;
};

}  // namespace firn
