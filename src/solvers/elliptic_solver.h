// Solves the grid's symmetric systems (kernels/solve/elliptic_system.h) by conjugate gradients,
// preconditioned by one multigrid W-cycle, a method after [McAdams et al. 2010] with
// aggregation instead of a geometric hierarchy. Scalars stay on the device; the host reads the
// control block once after the hierarchy is built and then every few iterations.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "firn/error.h"
#include "kernels/solve/components.h"
#include "kernels/solve/elliptic_gradients.h"
#include "kernels/solve/multigrid.h"
#include "src/solvers/conjugate_gradients.h"

namespace firn {

template <class Exec, int D, class Real>
class EllipticSolver {
 public:
  explicit EllipticSolver(Exec& exec) : exec_(exec), scalars_(exec), table_(exec, 1) {}

  // Makes room for systems of up to `max_blocks` blocks, with a mass term or not. solve() calls it
  // with the system's bound; to call it early keeps allocations out of a warm step.
  void reserve(std::uint32_t max_blocks, bool mass) {
    if (max_blocks > kMaxEllipticBlocks)
      throw Error(ErrorCategory::kDevice, "the linear solver cannot number the cells of " +
                                              std::to_string(max_blocks) +
                                              " blocks; use a larger grid.dx");
    if (max_blocks > max_blocks_ || max_blocks_ == 0) reserve_finest(std::max(max_blocks, 1u));
    const std::uint32_t pool = first_pool(max_blocks_);
    if (pool > pool_blocks_ || (mass && pool_mass_.empty())) reserve_pool(pool, mass);
  }

  // The step's stop flag and the term may be null. Throws only where memory or the device fails.
  SolveReport solve(const EllipticSystem<Real>& system, const SolveOptions& options,
                    const std::uint32_t* stop, EllipticTerm<Real>* term = nullptr) {
    term_ = term;
    reserve(system.blocks.bound, system.mass != nullptr);
    scalars_.begin(options, stop);
    hierarchy_.plain = false;
    tied_ = 0;
    build(system);
    if (state().stopped == 0 && state().singular_components > 0) number_singular();
    return run(system);
  }
  // The same, without a term, for a system that differs from that of the last solve in its
  // right-hand side and first guess only: hierarchy and components stand.
  SolveReport solve_again(const EllipticSystem<Real>& system, const SolveOptions& options,
                          const std::uint32_t* stop) {
    term_ = nullptr;
    SolveControl first;
    first.singular_components = state().singular_components;
    scalars_.begin(options, stop, first);
    scalars_.poll();
    set_views(system);
    level_[0] = hierarchy_.finest;
    if (tied_ > 0) untie_components(exec_, components_.cells, first.singular_components);
    return run(system);
  }

  std::size_t bytes() const {
    std::size_t sum =
        table_.bytes() + scalars_.bytes() + pool_keys_.bytes() + partials_.bytes() + sums_.bytes();
    for (const auto* b : {&neighbours_, &origin_, &kind_, &flags_, &ranks_, &labels_,
                          &pool_neighbours_, &pool_origin_, &pool_kind_})
      sum += b->bytes();
    for (const auto* b :
         {&uniform_, &residual_, &direction_, &work_, &pool_uniform_, &pool_conductance_,
          &pool_dirichlet_, &pool_mass_, &pool_rhs_, &pool_solution_})
      sum += b->bytes();
    return sum;
  }

  // What bytes() says after reserve(blocks, mass), for estimates.
  static std::size_t bytes_for(std::uint32_t blocks, bool mass) {
    const std::size_t n = std::max(blocks, 1u), pool = first_pool(blocks), links = 2 * D;
    const std::size_t finest = n * (4 * (links + 4 + kCells) + (3 * kCells + 1) * sizeof(Real) +
                                    kReductionColumns * sizeof(double));
    const std::size_t reals = (D + (mass ? 4 : 3)) * kCells + 1;
    const std::size_t coarse = pool * (8 + 4 * (links + 2) + reals * sizeof(Real));
    return finest + coarse + 4 + kCells * sizeof(Real) + sizeof(LevelTable) + sizeof(SolveControl);
  }

  // z = M r of the last system's hierarchy, for tests of the preconditioner: r and z are device
  // channels of its blocks.
  void precondition(const Real* r, Real* z) {
    const std::size_t bytes = std::size_t{blocks_} * kCells * sizeof(Real);
    exec_.copy(residual_.data(), r, bytes);
    scalars_.seen.done = 0;
    scalars_.put();
    guess_red();
    cycle(0);
    exec_.copy(z, work_.data(), bytes);
  }
  // The cycle that is positive whatever the coefficients, for the last system. Its levels are those
  // that there were.
  void make_plain(const EllipticSystem<Real>& system) {
    hierarchy_.plain = true;
    build_levels<Exec, D>(exec_, hierarchy_, system.blocks, {}, &scalars_.data()->stopped);
  }

 private:
  static constexpr std::size_t kCells = BlockTraits<D>::kNodes;

  // Blocks of all coarser levels: a box needs 1/7 (3D) or 1/3 (2D) of the finest level's, a thin
  // sheet more.
  static std::uint32_t first_pool(std::uint32_t blocks) { return blocks / (D == 3 ? 4 : 2) + 64; }

  void reserve_finest(std::uint32_t n) {
    renew(exec_, neighbours_, std::size_t{2 * D} * n);
    renew(exec_, origin_, n);
    renew(exec_, kind_, n);
    renew(exec_, uniform_, n);
    renew(exec_, flags_, n);
    renew(exec_, ranks_, n + 1);
    renew(exec_, labels_, kCells * n);
    renew(exec_, residual_, kCells * n);
    renew(exec_, direction_, kCells * n);
    renew(exec_, work_, kCells * n);
    renew(exec_, partials_, std::size_t{kReductionColumns} * n);
    max_blocks_ = n;
  }
  void reserve_pool(std::uint32_t n, bool mass) {
    renew(exec_, pool_keys_, n);
    renew(exec_, pool_neighbours_, std::size_t{2 * D} * n);
    renew(exec_, pool_origin_, n);
    renew(exec_, pool_kind_, n);
    renew(exec_, pool_uniform_, n);
    renew(exec_, pool_conductance_, D * kCells * n);
    renew(exec_, pool_dirichlet_, kCells * n);
    renew(exec_, pool_rhs_, kCells * n);
    renew(exec_, pool_solution_, kCells * (n + 1));  // Strip::spread reads past the last block
    if (mass || !pool_mass_.empty()) renew(exec_, pool_mass_, kCells * n);
    pool_blocks_ = n;
  }

  // The hierarchy and the components; the pool grows until it holds all levels.
  void build(const EllipticSystem<Real>& system) {
    for (;;) {
      const std::uint32_t* stopped = &scalars_.data()->stopped;
      set_views(system);
      // As many levels as the last system had: the others' launches would find nothing to do.
      const int expected = depth_ > 0 ? depth_ : kMaxLevels;
      build_levels<Exec, D>(exec_, hierarchy_, system.blocks, {0, expected}, stopped);
      find_components<Exec, D>(exec_, components_, system.blocks, stopped);
      scalars_.poll();
      if (state().stopped != 0) return;
      levels_ = table_.first();
      if (expected < kMaxLevels && levels_.count[expected] > 0) {
        build_levels<Exec, D>(exec_, hierarchy_, system.blocks, {expected, kMaxLevels}, stopped);
        // Levels are numbered where the ranks of components were.
        find_components<Exec, D>(exec_, components_, system.blocks, stopped);
        levels_ = table_.first();
      }
      if (levels_.overflow == 0) break;
      reserve_pool(2 * pool_blocks_, system.mass != nullptr);
    }
    blocks_ = levels_.count[0];
    for (depth_ = 1; depth_ < kMaxLevels && levels_.count[depth_] > 0;) ++depth_;
    for (int l = 1; l < depth_; ++l) level_[l] = hierarchy_.pool.template at<D>(levels_.offset[l]);
    level_[0] = hierarchy_.finest;
  }

  void set_views(const EllipticSystem<Real>& system) {
    LevelView<Real>& fine = hierarchy_.finest;
    fine = {system.keys,      origin_.data(),     neighbours_.data(), kind_.data(),
            uniform_.data(),  system.conductance, system.dirichlet,   system.mass,
            residual_.data(), work_.data()};
    Real* mass = system.mass != nullptr ? pool_mass_.data() : nullptr;
    hierarchy_.pool = {
        pool_keys_.data(),    pool_origin_.data(),      pool_neighbours_.data(), pool_kind_.data(),
        pool_uniform_.data(), pool_conductance_.data(), pool_dirichlet_.data(),  mass,
        pool_rhs_.data(),     pool_solution_.data()};
    hierarchy_.coarse = {pool_keys_.data(), pool_conductance_.data(), pool_dirichlet_.data(), mass,
                         pool_rhs_.data()};
    hierarchy_.periodic = system.periodic;
    hierarchy_.max_blocks = max_blocks_;
    hierarchy_.pool_blocks = pool_blocks_;
    hierarchy_.flags = flags_.data();
    hierarchy_.ranks = ranks_.data();
    hierarchy_.table = table_.data();
    components_.level = fine;
    components_.labels = labels_.data();
    components_.flags = flags_.data();
    components_.ranks = ranks_.data();
    components_.max_blocks = max_blocks_;
    components_.control = scalars_.data();
    vectors_ = {
        fine,         system.rhs,       system.solution, residual_.data(), direction_.data(),
        work_.data(), partials_.data(), max_blocks_,     scalars_.data()};
  }

  // A and G of conjugate_gradients(), fused: the last kernel of a step does the cycle's first
  // sweep.
  struct Operator {
    EllipticSolver& s;
    const EllipticSystem<Real>& system;
    void begin() { s.prepare(system); }
    void residual(bool initial) { initial ? s.first_residual() : s.true_residual(); }
    void clear_guess() {
      s.exec_.zero(system.solution, std::size_t{s.blocks_} * kCells * sizeof(Real));
    }
    void step() { s.step(); }
  };
  struct Cycle {
    EllipticSolver& s;
    const EllipticSystem<Real>& system;
    void restart() { s.guess_red(); }
    SolveReport precondition() {
      s.cycle(0);
      update_direction<Exec, D>(s.exec_, s.vectors_, s.blocks_);
      return solved();
    }
    bool strengthen() {
      if (s.hierarchy_.plain) return false;
      s.make_plain(system);
      return true;
    }
  };
  SolveReport run(const EllipticSystem<Real>& system) {
    if (state().stopped != 0) return report_of(state());
    SolveReport r =
        conjugate_gradients(exec_, scalars_, Operator{*this, system}, Cycle{*this, system});
    r.plain = hierarchy_.plain;
    r.singular_components = state().singular_components;
    r.imbalance = r.singular_components > 0 ? imbalance_ : 0;
    r.tied_components = r.singular_components > 0 ? tied_ : 0;
    r.levels = static_cast<std::uint32_t>(depth_);
    return r;
  }
  const SolveControl& state() const { return scalars_.seen; }
  void number_singular() {
    const std::size_t n = state().singular_components;
    if (sums_.size() < 2 * n) renew(exec_, sums_, 4 * n);
    components_.sums = sums_.data();
    components_.cells = sums_.data() + n;
    number_components<Exec, D>(exec_, components_, state().singular_components, blocks_);
    if (term_ != nullptr) term_->tie(components_, state().singular_components, blocks_);
  }
  void prepare(const EllipticSystem<Real>& system) {
    prepare_guess<Exec, D>(exec_, vectors_, blocks_);
    if (state().singular_components == 0) return;
    remove_component_means(system.solution, false, &scalars_.data()->stopped);
    compute_residual<Exec, D>(exec_, vectors_, true, term_, blocks_);
    make_compatible();
    adopt_rhs(exec_, scalars_.data());
  }
  void first_residual() {
    compute_residual<Exec, D>(exec_, vectors_, false, term_, blocks_);
    if (state().singular_components == 0) return;
    scalars_.poll();
    remove_component_means(residual_.data(), true, &scalars_.data()->stopped);
    imbalance_ = largest_mean(state().residual);
    make_compatible();
  }
  void true_residual() {
    compute_residual<Exec, D>(exec_, vectors_, false, term_, blocks_);
    if (state().singular_components > 0) make_compatible();
  }
  // Of the means that remove_component_means took away from a channel of that largest magnitude:
  // the largest one, 0 if none is positive.
  double largest_mean(double largest) {
    const std::size_t n = state().singular_components;
    host_sums_.resize(2 * n);
    sums_.read(host_sums_);
    const double unit = SumScale::of(blocks_).unit(largest);
    double found = 0;
    tied_ = 0;
    for (std::size_t c = 0; c < n; ++c) {
      if (host_sums_[n + c] < 0) {
        ++tied_;
        continue;
      }
      const double mean =
          static_cast<double>(host_sums_[c]) * unit / static_cast<double>(host_sums_[n + c]);
      found = std::max(found, mean);
    }
    return found;
  }
  // The first pass leaves a mean of the last bits of the largest value, the second one of the last
  // bits of what is left: a right-hand side may be nothing but its mean.
  void make_compatible() {
    for (int pass = 0; pass < 2; ++pass)
      remove_component_means(residual_.data(), true, &scalars_.data()->stopped);
  }
  void remove_component_means(Real* channel, bool measured, const std::uint32_t* stop) {
    remove_means<Exec, D>(exec_, components_, channel, measured, partials_.data(),
                          state().singular_components, blocks_, stop);
  }

  void step() {
    apply_operator<Exec, D>(exec_, vectors_, term_, blocks_);
    update_solution<Exec, D>(exec_, vectors_, blocks_);
    if (state().singular_components == 0) return;
    remove_component_means(residual_.data(), true, &scalars_.data()->done);
    guess_red();
  }
  // The finest level's first sweep; update_solution does it too.
  void guess_red() { first_sweep<Exec, D>(exec_, level_[0], blocks_, &scalars_.data()->done); }

  // One symmetric cycle from a guess of 0. On the finest level its first sweep has been done and
  // the last one leaves <r, M r>.
  void cycle(int l) {
    const std::uint32_t* done = &scalars_.data()->done;
    const std::uint32_t n = levels_.count[l];
    if (l > 0 && n <= kCoarseBlocks) return coarse_cycle<Exec, D>(exec_, hierarchy_, l, done);
    const LevelView<Real>& level = level_[l];
    const bool coarsest = l + 1 == depth_;
    const auto sweep = [&](const Sweep<Real>& s) { smooth<Exec, D>(exec_, level, s, n, done); };
    const int visits = is_visited_twice<D>(l, n, coarsest) ? 2 : 1;
    for (int visit = 0; visit < visits; ++visit) {
      if (visit > 0)
        sweep({kRed});
      else if (l > 0)
        first_sweep<Exec, D>(exec_, level, n, done);
      sweep({kBlack});
      if (coarsest) {
        const std::uint32_t pairs = stuck_sweeps(levels_);
        for (std::uint32_t i = 0; i < 4 * pairs; ++i) sweep({stuck_colour(i, pairs)});
      }
      Real* below =
          coarsest ? nullptr : hierarchy_.coarse.template at<D>(levels_.offset[l + 1]).rhs;
      restrict_residual<Exec, D>(exec_, level, below, n, done);
      if (!coarsest) cycle(l + 1);
      sweep({kBlack, coarsest ? nullptr : level_[l + 1].solution});
      sweep({kRed, nullptr, l == 0 ? partials_.data() : nullptr});
    }
  }

  Exec& exec_;
  KrylovScalars<Exec, SolveControl> scalars_;
  std::uint32_t max_blocks_ = 0, pool_blocks_ = 0, blocks_ = 0;
  double imbalance_ = 0;
  std::uint32_t tied_ = 0;  // components, by the term of the last system
  int depth_ = 0;
  LevelTable levels_;
  LevelView<Real> level_[kMaxLevels];
  Hierarchy<Real> hierarchy_;
  ComponentView<Real> components_;
  EllipticVectors<Real> vectors_;
  EllipticTerm<Real>* term_ = nullptr;
  Buffer<Exec, LevelTable> table_;
  Buffer<Exec, std::uint64_t> pool_keys_;
  Buffer<Exec, std::uint32_t> neighbours_, origin_, kind_, flags_, ranks_, labels_,
      pool_neighbours_, pool_origin_, pool_kind_;
  Buffer<Exec, Real> uniform_, residual_, direction_, work_, pool_uniform_, pool_conductance_,
      pool_dirichlet_, pool_mass_, pool_rhs_, pool_solution_;
  Buffer<Exec, double> partials_;
  Buffer<Exec, std::int64_t> sums_;
  std::vector<std::int64_t> host_sums_;
};

}  // namespace firn
