// Minimises the potential of a step over the velocities of nodes (kernels/implicit/system.h) by
// Newton's method: the better of two guesses, semidefinite stiffnesses, conjugate gradients to a
// tolerance that tightens as the imbalance falls [Eisenstat & Walker 1996], a line search that
// never lets the potential rise, and contacts that open where they pull and close where material
// runs into a body. Or one solve by MINRES at rest, with stiffnesses as they are [T 2.2].
#pragma once

#include <algorithm>
#include <cmath>

#include "firn/scene.h"
#include "kernels/grid/rebuild.h"
#include "kernels/solve/minres.h"
#include "src/solvers/conjugate_gradients.h"
#include "src/solvers/minres.h"
#include "src/solvers/newton_evaluation.h"
#include "src/solvers/newton_operator.h"

namespace firn {

template <class Exec, int D, class Real>
class NewtonSolver {
  using Problem = ImplicitProblem<Real, D>;
  using Memory = ImplicitMemory<Exec, D, Real>;

 public:
  NewtonSolver(Exec& exec, const Scene& scene, bool linear)
      : exec_(exec),
        settings_(scene.implicit),
        linear_(linear),
        gravity_(std::hypot(scene.simulation.gravity[0], scene.simulation.gravity[1],
                            scene.simulation.gravity[2])),
        gradients_(exec),
        minres_(exec),
        multigrid_(exec),
        memory_(exec, scene) {}

  void reserve(std::uint32_t blocks) {
    memory_.reserve(blocks);
    if (linear_)
      minres_.reserve(blocks);
    else
      gradients_.reserve(blocks);
  }
  void reserve_particles(std::uint32_t chunks) { memory_.reserve_particles(chunks); }

  // Of a problem without its view, in a step as `now` has it. `opens`: there are contacts that may
  // open; `bodies_move`: what holds nodes may.
  NewtonReport solve(Problem problem, const StepControl& now, bool opens, bool bodies_move) {
    bodies_move_ = bodies_move;
    problem.semidefinite = !linear_;
    // What has flowed stands on its yield surface, where a stiffness that knows of it jumps.
    problem.flows = !linear_ && settings_.plasticity == PlasticFlow::kInside;
    problem.diagonal = settings_.preconditioner == ImplicitPreconditioner::kDiagonal;
    problem.damping = memory_.damping_factors();
    problem.drag = static_cast<Real>(settings_.mass_damping);
    Solve s{{exec_, memory_, problem, linear_, {}}, *this, opens, now.n_blocks, now.dt};
    s.begin();
    do linear_ ? s.solve_once() : s.minimise();
    while (s.report.converged && ((opens && s.contacts_change()) || s.tightens()));
    if (s.report.converged) s.end();
    return s.report;
  }

  std::size_t bytes() const {
    return memory_.bytes() + gradients_.bytes() + minres_.bytes() + multigrid_.bytes();
  }
  // What bytes() says once these are reserved, for estimates.
  static std::size_t bytes_for(const Scene& scene, std::uint32_t blocks, std::size_t chunks,
                               bool linear) {
    using Space = NodeSpace<D, Real>;
    const std::size_t solver =
        linear ? Minres<Exec, Space>::bytes_for(blocks) + sizeof(SolveControl)
               : ConjugateGradients<Exec, Space>::bytes_for(blocks) + sizeof(MinresControl);
    const bool coarse = scene.implicit.preconditioner == ImplicitPreconditioner::kMultigrid;
    return ImplicitMemory<Exec, D, Real>::bytes_for(scene, blocks, chunks) + solver +
           (coarse ? NodeMultigrid<Exec, D, Real>::bytes_for(blocks) : 0);
  }

 private:
  static constexpr int kMostCuts = 16;
  // Share of the tolerance that a step of one linear solve gets: what it leaves no iteration looks
  // at again, and it is to one side, so that bodies in free flight lose momentum step by step.
  static constexpr double kOfOneSolve = 0.1;
  static constexpr double kRounding = 64 * static_cast<double>(kEpsilon<Real>);  // of energies

  using Operator = NewtonOperator<Exec, D, Real>;
  using Preconditioner = NewtonPreconditioner<Exec, D, Real>;

  // One solve.
  struct Solve : NewtonEvaluation<Exec, D, Real> {
    using Base = NewtonEvaluation<Exec, D, Real>;
    using Base::problem, Base::report, Base::read, Base::evaluate, Base::guess;
    NewtonSolver& solver;
    bool opens = false;
    std::uint32_t blocks = 0;
    double dt = 0;
    NewtonSums now{};      // at the iterate
    double reference = 0;  // imbalance that the tolerance is a share of
    double motion = 0;     // J, of v* and of the strain as the step begins
    ContactPasses contacts{};
    // Of the last linear solve, and of the last one whose preconditioner was made for it.
    std::uint32_t last_iterations = 0, fresh_iterations = 0;

    void begin() {
      solver.memory_.clear();
      problem.view = solver.memory_.view();
      begin_implicit(solver.exec_, problem);
      enqueue_contacts(ContactPass::kFirst);
      if (problem.damping != nullptr) begin_damping(solver.exec_, problem);
      start();
      solver.multigrid_.forget();
      const double mass = std::sqrt(now.mass);
      reference += dt * solver.gravity_ * mass;
      report.tolerance =
          std::max(solver.settings_.tolerance * reference,
                   least_imbalance<Real>(mass * static_cast<double>(problem.grid.dx) / dt, motion));
      contacts.begin(report.tolerance, opens && !solver.linear_);
      report.energy_before = now.energy;
      settle();
    }
    // At the better of two guesses, whose sums the host reads together.
    void start() {
      if (solver.linear_) {
        begin_linear();
        reference = std::sqrt(now.imbalance);
        return;
      }
      const bool moves = solver.bodies_move_, tears = moves || opens;
      if (tears) Base::evaluate_begin(2);
      guess(NodeGuess::kRest);
      guess(NodeGuess::kTarget, 1);
      const auto [resting, moving, begin] = read();
      now = moving;
      motion = tears ? begin.strain + begin.kinetic : resting.energy;
      reference =
          std::sqrt(std::isfinite(moving.imbalance) ? std::min(moving.imbalance, resting.imbalance)
                                                    : resting.imbalance);
      if (moves)
        reference = std::min(reference, std::sqrt(begin.imbalance) + std::sqrt(begin.demand));
      if (is_better_guess(moving, resting, kRounding)) return;
      guess(NodeGuess::kRest);
      now = resting;
    }
    // The one linear solve starts from rest, or where bodies move from the best of three guesses:
    // what rides on a body is at v as the step begins but for its weight.
    void begin_linear() {
      const bool moves = solver.bodies_move_;
      Base::guess_linear(NodeGuess::kRest, 0, moves);
      if (moves) {
        Base::guess_linear(NodeGuess::kTarget, 1, moves);
        Base::guess_linear(NodeGuess::kBefore, 2, moves);
      }
      const auto [resting, target, before] = read();
      motion = resting.energy;
      now = moves ? before : resting;
      if (moves && before.imbalance > std::min(resting.imbalance, target.imbalance)) {
        const bool flies = target.imbalance <= resting.imbalance;
        now = flies ? target : resting;
        Base::guess_linear(flies ? NodeGuess::kTarget : NodeGuess::kRest, 0, moves);
      }
    }
    void settle() {
      report.energy_after = now.energy;
      report.imbalance = std::sqrt(now.imbalance);
    }

    // Newton's method under the contacts as they are.
    void minimise() {
      iterate();
      if (report.converged) return;
      guess(NodeGuess::kTarget);
      now = read()[0];
      settle();
      report.converged = report.rounding_limited = report.at_rounding = is_noise(now);
    }
    void iterate() {
      report.converged = false;
      fresh_iterations = 0;
      while (std::isfinite(report.imbalance)) {
        const double before = report.imbalance;
        report.converged = before <= contacts.aim();
        if (report.converged || report.iterations == solver.settings_.max_iterations) return;
        ++report.iterations;
        find_direction();
        const bool went_on = search_line();
        const bool hardly = !went_on || report.imbalance > 0.5 * before;
        if (!report.converged && hardly && is_rounding()) return;
        if (!went_on) return;
      }
    }
    // What is left is what rounding does to stresses, which no velocities take away.
    bool is_rounding() {
      if (report.imbalance <= report.tolerance || !is_of_rounding(report.imbalance, now, reference))
        return false;
      return report.converged = report.rounding_limited = report.at_rounding = true;
    }

    void invert() {
      problem.view = solver.memory_.view();
      clear_nodes(solver.exec_, problem.view.inverse, 2, problem.max_blocks, problem.control);
      add_blocks(solver.exec_, problem);
      if (solver.uses_multigrid()) solver.multigrid_.build(problem, blocks);
      invert_blocks(solver.exec_, problem);
      solver.memory_.channel(Memory::kDirection).zero();
    }
    // From the velocities of bodies, where nothing has moved yet, to those that balance the forces
    // at first order.
    void solve_once() {
      invert();
      const ImplicitView<Real>& v = problem.view;
      const Problem gated = while_not(solver.minres_.done());
      const MinresView<NodeSpace<D, Real>> view{{v.kind, v.target, v.direction},
                                                {&problem.control->n_blocks, problem.max_blocks},
                                                solver.minres_.vectors()};
      const SolveOptions options{
          kOfOneSolve * solver.settings_.tolerance, 0,
          static_cast<std::uint32_t>(solver.settings_.max_linear_iterations)};
      const SolveReport linear = solver.minres_.solve(
          view,
          [&] {
            begin_minres(solver.exec_, view, options, &problem.control->stop);
            solver.exec_.copy(view.v.r2, v.rhs, solver.memory_.channel(Memory::kRhs).bytes());
          },
          Operator{solver.exec_, gated}, preconditioner(gated));
      ++report.iterations;
      count(linear);
      try_velocity(solver.exec_, problem, Real(1));
      solver.memory_.accept_trial();
      stay();
      // A solve that begins next to its end may have no digits left for its share.
      const bool enough =
          report.imbalance <= report.tolerance || is_of_rounding(report.imbalance, now, reference);
      report.converged = std::isfinite(report.imbalance) && (linear.converged || enough);
      report.at_rounding = report.converged && report.imbalance > report.tolerance;
      report.unstable = is_unstable(report, now, static_cast<double>(problem.grid.dx) / dt);
    }

    void find_direction() {
      // A preconditioner of an earlier iterate is a preconditioner still, and hardly a worse one;
      // making it anew costs some seven products. Coarser grids are made of this iterate's matrix.
      const bool anew = solver.uses_multigrid() || fresh_iterations == 0 ||
                        last_iterations > 2 * fresh_iterations;
      if (anew)
        invert();
      else
        problem.view = solver.memory_.view();
      const ImplicitView<Real>& v = problem.view;
      const double loosest = 0.5, close = 0.3 * contacts.aim() / report.imbalance;
      const double forced = std::sqrt(report.imbalance / std::max(reference, report.imbalance));
      const SolveOptions options{
          std::max(std::min(0.1 * forced, loosest), std::min(close, loosest)), 0,
          static_cast<std::uint32_t>(solver.settings_.max_linear_iterations)};
      const Problem gated = while_not(solver.gradients_.done());
      count(solver.gradients_.template descend<NoProduct<D, Real>>(
          NodeSpace<D, Real>{v.kind, v.target}, {&problem.control->n_blocks, problem.max_blocks},
          v.rhs, v.direction, Operator{solver.exec_, gated}, preconditioner(gated), options,
          &problem.control->stop));
      if (anew) fresh_iterations = last_iterations;
    }
    void count(const SolveReport& linear) {
      last_iterations = std::max(linear.iterations, 1u);
      report.linear_iterations += static_cast<int>(linear.iterations);
      report.looks += static_cast<int>(linear.looks);
    }

    Problem while_not(const std::uint32_t* done) const {
      Problem gated = problem;
      gated.gate = done;
      return gated;
    }
    Preconditioner preconditioner(const Problem& gated) {
      return {solver.multigrid_, gated, solver.uses_multigrid() && !solver.multigrid_.is_empty()};
    }

    // Halves the step until the potential falls; false where it falls nowhere.
    bool search_line() {
      double share = 1;
      for (int cut = 0; cut <= kMostCuts; ++cut, share *= 0.5) {
        try_velocity(solver.exec_, problem, static_cast<Real>(share));
        evaluate();
        const NewtonSums there = read()[0];
        // Whether rounding hides all that a direction promises: then what is out of balance
        // decides.
        const bool hidden = std::isfinite(there.energy) &&
                            std::abs(there.first_slope) <= kRounding * std::abs(now.energy);
        if (hidden ? there.imbalance < now.imbalance : is_lower(there, now, share, kRounding)) {
          solver.memory_.accept_trial();
          now = there;
          settle();
          return true;
        }
        if (hidden) {
          stay();
          report.converged = report.rounding_limited = is_hidden(report, now, reference);
          report.at_rounding = report.converged && report.imbalance > report.tolerance;
          return false;
        }
        ++report.cuts;
      }
      stay();
      return false;
    }
    // Everything as it was at the iterate.
    void stay() {
      problem.view = solver.memory_.view();
      try_velocity(solver.exec_, problem, Real(0));
      evaluate();
      now = read()[0];
      settle();
    }

    // Contacts open, close and rub as the solution says; false where that is the end of it.
    bool contacts_change() {
      if (contacts.are_over()) return false;
      enqueue_contacts(ContactPass::kJudge);
      // Contacts that give or owe less than the tolerance would open and close by rounding.
      const double enough = solver.linear_ ? kOfOneSolve * report.tolerance : report.tolerance;
      if (!contacts.go_on(std::sqrt(read()[0].contacts), enough)) return false;
      enqueue_contacts(ContactPass::kChange);
      report.passes = contacts.passes();
      solver.linear_ ? begin_linear() : stay();
      return true;
    }
    // Whether what met its tolerance has to go on, to a smaller one, as it would make energy.
    bool tightens() {
      if (solver.linear_ || !opens || solver.bodies_move_) return false;
      if (!is_above_rest(now.energy, motion)) return false;
      const double least = least_at_rest(motion);
      report.unstable = report.at_rounding || report.tolerance <= least;
      if (report.unstable) return false;
      report.tolerance = std::max(0.1 * std::min(report.imbalance, report.tolerance), least);
      contacts.tighten(report.tolerance);
      return true;
    }
    void enqueue_contacts(ContactPass pass) {
      problem.view = solver.memory_.view();
      close_contacts(solver.exec_, problem, pass);
    }
    void end() {
      problem.view = solver.memory_.view();
      end_implicit(solver.exec_, problem);
      if (problem.boundaries.collider_count == 0 && !problem.boundaries.walls.active) return;
      follow_nodes(solver.exec_, problem);
      if (read()[0].ends == 0) return;
      follow_particles(solver.exec_, problem);
      report.ends_in_body = read()[0].ends > 0;
    }
  };

  bool uses_multigrid() const {
    return settings_.preconditioner == ImplicitPreconditioner::kMultigrid;
  }

  Exec& exec_;
  ImplicitSettings settings_;
  bool linear_, bodies_move_ = false;
  double gravity_;
  ConjugateGradients<Exec, NodeSpace<D, Real>> gradients_;
  Minres<Exec, NodeSpace<D, Real>> minres_;
  NodeMultigrid<Exec, D, Real> multigrid_;
  Memory memory_;
};

}  // namespace firn
