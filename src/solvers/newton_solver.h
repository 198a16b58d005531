// Minimises the potential of a step over the velocities of nodes (kernels/implicit/system.h) by
// Newton's method: the better of two guesses, semidefinite stiffnesses, conjugate gradients to a
// tolerance that tightens as the imbalance falls [Eisenstat & Walker 1996], a line search that
// never lets the potential rise, and contacts that open where they pull and close where material
// runs into a body. Or one linear solve by MINRES, of the system at rest, whose stiffnesses are as
// they are [T 2.2].
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "firn/scene.h"
#include "kernels/grid/rebuild.h"
#include "kernels/implicit/system.h"
#include "kernels/solve/minres.h"
#include "src/solvers/conjugate_gradients.h"
#include "src/solvers/minres.h"
#include "src/solvers/node_multigrid.h"

namespace firn {

struct NewtonReport {
  bool converged = false;
  bool rounding_limited = false;  // the potential's last digits know no better
  int iterations = 0, linear_iterations = 0, cuts = 0, passes = 0;
  double imbalance = 0, tolerance = 0;         // sqrt(sum |impulse|^2 / m), kg^(1/2) m/s
  double energy_before = 0, energy_after = 0;  // the potential of the guess and at the end, J
};

template <class Exec, int D, class Real>
class NewtonSolver {
  using Problem = ImplicitProblem<Real, D>;

 public:
  NewtonSolver(Exec& exec, const ImplicitSettings& settings, bool linear, double gravity)
      : exec_(exec),
        settings_(settings),
        linear_(linear),
        gravity_(gravity),
        gradients_(exec),
        minres_(exec),
        multigrid_(exec),
        sums_(exec, 1) {}

  // Nothing in it outlives a step, so a larger one starts empty.
  void reserve(std::uint32_t blocks) {
    const std::size_t nodes = std::size_t{blocks} * BlockTraits<D>::kNodes;
    for (auto& channel : channels_) renew(exec_, channel, 4 * nodes);
    renew(exec_, inverse_, 8 * nodes);
    renew(exec_, kind_, nodes);
    renew(exec_, hold_, nodes);
    renew(exec_, closed_, nodes);
    renew(exec_, partials_, kNewtonColumns * std::size_t{blocks});
    if (linear_)
      minres_.reserve(blocks);
    else
      gradients_.reserve(blocks);
  }
  void reserve_particles(std::uint32_t chunks) {
    const std::size_t reals = chunks * kLanes * stiffness_components<D>();
    if (stiffness_.size() < reals) renew(exec_, stiffness_, reals);
  }

  // Of a problem without its view. `opens`: there are contacts that may open.
  NewtonReport solve(Problem problem, bool opens) {
    problem.semidefinite = !linear_;
    // What has flowed stands on its yield surface, where a stiffness that knows of it jumps.
    problem.flows = !linear_ && settings_.plasticity == PlasticFlow::kInside;
    problem.diagonal = settings_.preconditioner == ImplicitPreconditioner::kDiagonal;
    Solve s{*this, problem, {}};
    s.begin();
    for (s.report.passes = 1;; ++s.report.passes) {
      linear_ ? s.solve_once() : s.minimise();
      if (!s.report.converged || !opens || s.report.passes == kMostPasses) break;
      if (!s.contacts_change()) break;
    }
    if (s.report.converged) s.end();
    return s.report;
  }

  std::size_t bytes() const {
    std::size_t sum = inverse_.bytes() + kind_.bytes() + hold_.bytes() + closed_.bytes() +
                      partials_.bytes() + stiffness_.bytes() + sums_.bytes() + gradients_.bytes() +
                      minres_.bytes() + multigrid_.bytes();
    for (const auto& channel : channels_) sum += channel.bytes();
    return sum;
  }
  // What bytes() says once these are reserved, for estimates.
  static std::size_t bytes_for(const ImplicitSettings& settings, std::uint32_t blocks,
                               std::size_t chunks, bool linear) {
    using Space = NodeSpace<D, Real>;
    const std::size_t node = (4 * kChannels + 8) * sizeof(Real) + sizeof(std::uint32_t) +
                             sizeof(NodeHold<Real>) + sizeof(std::uint64_t);
    const std::size_t block = BlockTraits<D>::kNodes * node + kNewtonColumns * sizeof(double);
    const std::size_t solver =
        linear ? Minres<Exec, Space>::bytes_for(blocks) + sizeof(SolveControl)
               : ConjugateGradients<Exec, Space>::bytes_for(blocks) + sizeof(MinresControl);
    const bool coarse = settings.preconditioner == ImplicitPreconditioner::kMultigrid;
    return blocks * block + chunks * kLanes * stiffness_components<D>() * sizeof(Real) +
           sizeof(NewtonSums) + solver +
           (coarse ? NodeMultigrid<Exec, D, Real>::bytes_for(blocks) : 0);
  }

 private:
  static constexpr int kMostPasses = 4, kMostCuts = 16;
  static constexpr double kArmijo = 1e-4;  // share of the slope's promise that a step has to keep
  // Velocities within this many cells per step are the same, whatever the scene.
  static constexpr double kSameSpeed = sizeof(Real) == 4 ? 1e-6 : 1e-9;
  // What the last digits of a sum of energies may hide.
  static constexpr double kRounding = 64 * static_cast<double>(kEpsilon<Real>);

  enum Channel { kTarget, kVelocity, kTrial, kGradient, kRhs, kDirection, kChannels };

  struct Operator {
    Exec& exec;
    const Problem& problem;
    void enqueue(KrylovVector<Real> in, Real* out) {
      apply_stiffness(exec, problem, in.value, out);
      finish_stiffness(exec, problem, in.value, out);
    }
    auto local(KrylovVector<Real>, const Real* out) { return StoredProduct<D, Real>{out}; }
  };
  struct Preconditioner {
    static constexpr bool kIsSolve = false;
    NodeMultigrid<Exec, D, Real>& multigrid;
    const Problem& problem;
    bool coarse;
    SolveReport solve(const Real* r, KrylovVector<Real> z) {
      if (coarse) multigrid.correct(problem, r, z.value);
      return solved();
    }
    auto local(const Real* r, KrylovVector<Real> z) {
      return CorrectedInverse<D, Real>{{problem.view.inverse, r}, coarse ? z.value : nullptr};
    }
  };

  // One solve.
  struct Solve {
    NewtonSolver& solver;
    Problem problem;
    NewtonReport report;
    NewtonSums now{};      // at the iterate
    double reference = 0;  // imbalance that the tolerance is a share of
    std::uint32_t blocks = 0;

    void begin() {
      for (int c : {kVelocity, kTrial, kGradient, kRhs, kDirection}) solver.channels_[c].zero();
      solver.partials_.zero();
      problem.view = solver.view();
      begin_implicit(solver.exec_, problem);
      close_contacts(solver.exec_, problem, true);
      const NewtonSums resting = guess(false);
      const NewtonSums moving = solver.linear_ ? resting : guess(true);
      now = moving;
      if (!std::isfinite(moving.energy) || !(moving.energy <= resting.energy)) now = guess(false);
      const double least = std::isfinite(moving.imbalance)
                               ? std::min(moving.imbalance, resting.imbalance)
                               : resting.imbalance;
      const StepControl c = solver.control_of(problem);
      blocks = c.n_blocks;
      solver.multigrid_.forget();
      const double mass = std::sqrt(now.mass);
      reference = std::sqrt(least) + c.dt * solver.gravity_ * mass;
      report.tolerance = std::max(solver.settings_.tolerance * reference,
                                  kSameSpeed * mass * static_cast<double>(problem.grid.dx) / c.dt);
      report.energy_before = now.energy;
      settle();
    }
    NewtonSums guess(bool moving) {
      guess_velocity(solver.exec_, problem, moving);
      return evaluate();
    }
    NewtonSums evaluate() {
      problem.view = solver.view();
      clear_nodes(solver.exec_, problem.view.gradient, 1, problem.max_blocks, problem.control);
      evaluate_particles(solver.exec_, problem);
      evaluate_nodes(solver.exec_, problem);
      return solver.sums_.first();
    }
    void settle() {
      report.energy_after = now.energy;
      report.imbalance = std::sqrt(now.imbalance);
    }

    // Newton's method under the contacts as they are.
    void minimise() {
      report.converged = false;
      while (std::isfinite(report.imbalance)) {
        if (report.imbalance <= report.tolerance) report.converged = true;
        if (report.converged || report.iterations == solver.settings_.max_iterations) return;
        ++report.iterations;
        find_direction();
        if (!search_line()) return;
      }
    }

    void invert() {
      problem.view = solver.view();
      clear_nodes(solver.exec_, problem.view.inverse, 2, problem.max_blocks, problem.control);
      add_blocks(solver.exec_, problem);
      if (solver.uses_multigrid()) solver.multigrid_.build(problem, blocks);
      invert_blocks(solver.exec_, problem);
      solver.channels_[kDirection].zero();
    }
    // From the velocities of bodies, where nothing has moved yet, to those that balance the forces
    // at first order.
    void solve_once() {
      invert();
      const ImplicitView<Real>& v = problem.view;
      const MinresView<NodeSpace<D, Real>> view{{v.kind, v.direction},
                                                {&problem.control->n_blocks, problem.max_blocks},
                                                solver.minres_.vectors()};
      const SolveOptions options{
          solver.settings_.tolerance, 0,
          static_cast<std::uint32_t>(solver.settings_.max_linear_iterations)};
      const SolveReport linear = solver.minres_.solve(
          view,
          [&] {
            begin_minres(solver.exec_, view, options, &problem.control->stop);
            solver.exec_.copy(view.v.r2, v.rhs, solver.channels_[kRhs].bytes());
          },
          Operator{solver.exec_, problem}, preconditioner());
      ++report.iterations;
      report.linear_iterations += static_cast<int>(linear.iterations);
      try_velocity(solver.exec_, problem, Real(1));
      std::swap(solver.channels_[kVelocity], solver.channels_[kTrial]);
      stay();
      report.converged = linear.converged && std::isfinite(report.imbalance);
    }

    void find_direction() {
      invert();
      const ImplicitView<Real>& v = problem.view;
      const double loosest = 0.5, aim = 0.3 * report.tolerance / report.imbalance;
      const double forced = std::sqrt(report.imbalance / std::max(reference, report.imbalance));
      const SolveOptions options{
          std::max(std::min(0.1 * forced, loosest), std::min(aim, loosest)), 0,
          static_cast<std::uint32_t>(solver.settings_.max_linear_iterations)};
      const SolveReport linear = solver.gradients_.solve(
          NodeSpace<D, Real>{v.kind}, {&problem.control->n_blocks, problem.max_blocks}, v.rhs,
          v.direction, Operator{solver.exec_, problem}, preconditioner(), options,
          &problem.control->stop);
      report.linear_iterations += static_cast<int>(linear.iterations);
    }

    Preconditioner preconditioner() {
      return {solver.multigrid_, problem, solver.uses_multigrid() && !solver.multigrid_.is_empty()};
    }

    // Halves the step until the potential falls; false where it falls nowhere.
    bool search_line() {
      double share = 1;
      for (int cut = 0; cut <= kMostCuts; ++cut, share *= 0.5) {
        try_velocity(solver.exec_, problem, static_cast<Real>(share));
        const NewtonSums there = evaluate();
        if (is_lower(there, share)) {
          std::swap(solver.channels_[kVelocity], solver.channels_[kTrial]);
          now = there;
          settle();
          return true;
        }
        // A direction whose whole promise is less than what rounding hides.
        if (std::isfinite(there.energy) &&
            std::abs(there.first_slope) <= kRounding * std::abs(now.energy)) {
          report.converged = report.rounding_limited = true;
          stay();
          return false;
        }
        ++report.cuts;
      }
      stay();
      return false;
    }
    bool is_lower(const NewtonSums& there, double share) const {
      if (!std::isfinite(there.energy) || !std::isfinite(there.imbalance)) return false;
      if (there.energy <= now.energy + kArmijo * share * there.first_slope) return true;
      // Where energies differ in their last digits only, slopes know better [Hager & Zhang 2005].
      return std::abs(there.energy - now.energy) <= kRounding * std::abs(now.energy) &&
             std::abs(there.slope) <= 0.9 * std::abs(there.first_slope) &&
             there.imbalance < now.imbalance;
    }
    // Everything as it was at the iterate.
    void stay() {
      problem.view = solver.view();
      try_velocity(solver.exec_, problem, Real(0));
      now = evaluate();
      settle();
    }

    bool contacts_change() {
      problem.view = solver.view();
      close_contacts(solver.exec_, problem, false);
      if (solver.sums_.first().changed == 0) return false;
      if (solver.linear_)
        now = guess(false);
      else
        stay();
      return true;
    }
    void end() {
      problem.view = solver.view();
      end_implicit(solver.exec_, problem);
    }
  };

  bool uses_multigrid() const {
    return settings_.preconditioner == ImplicitPreconditioner::kMultigrid;
  }
  StepControl control_of(const Problem& problem) {
    StepControl c;
    exec_.download(&c, problem.control, sizeof c);
    return c;
  }
  ImplicitView<Real> view() {
    ImplicitView<Real> v;
    v.target = channels_[kTarget].data();
    v.velocity = channels_[kVelocity].data();
    v.trial = channels_[kTrial].data();
    v.gradient = channels_[kGradient].data();
    v.rhs = channels_[kRhs].data();
    v.direction = channels_[kDirection].data();
    v.inverse = inverse_.data();
    v.kind = kind_.data();
    v.hold = hold_.data();
    v.closed = closed_.data();
    v.stiffness = stiffness_.data();
    v.partials = partials_.data();
    v.sums = sums_.data();
    return v;
  }

  Exec& exec_;
  ImplicitSettings settings_;
  bool linear_;
  double gravity_;
  ConjugateGradients<Exec, NodeSpace<D, Real>> gradients_;
  Minres<Exec, NodeSpace<D, Real>> minres_;
  NodeMultigrid<Exec, D, Real> multigrid_;
  std::array<Buffer<Exec, Real>, kChannels> channels_;
  Buffer<Exec, Real> inverse_, stiffness_;
  Buffer<Exec, std::uint32_t> kind_;
  Buffer<Exec, NodeHold<Real>> hold_;
  Buffer<Exec, std::uint64_t> closed_;
  Buffer<Exec, double> partials_;
  Buffer<Exec, NewtonSums> sums_;
};

}  // namespace firn
