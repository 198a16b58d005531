// What Newton's method (newton_solver.h) enqueues to know of a step's potential: it and its
// gradient at guesses, at the step's begin and at trials, whose sums the host then reads together.
#pragma once

#include "src/solvers/implicit_memory.h"
#include "src/solvers/newton_report.h"

namespace firn {

template <class Exec, int D, class Real>
struct NewtonEvaluation {
  using Memory = ImplicitMemory<Exec, D, Real>;

  Exec& exec;
  Memory& memory;
  ImplicitProblem<Real, D> problem;
  bool linear = false;
  NewtonReport report;

  // f() with the sums going to one of the places for them.
  template <class F>
  void in_slot(int slot, F&& f) {
    problem.view = memory.view();
    problem.view.sums += slot;
    f();
    problem.view.sums -= slot;
  }
  typename Memory::Sums read() {
    ++report.looks;
    return memory.read_sums();
  }

  void evaluate(int slot = 0) {
    in_slot(slot, [&] {
      clear_nodes(exec, problem.view.gradient, 1, problem.max_blocks, problem.control);
      evaluate_particles(exec, problem, NodeVectors::kVelocities);
      evaluate_nodes(exec, problem);
    });
  }
  void guess(NodeGuess by, int slot = 0) {
    problem.view = memory.view();
    guess_velocity(exec, problem, by);
    evaluate(slot);
  }

  // The forces where nothing has moved yet, the energies there, and what contacts do to v*. What
  // contacts hold on its way to a body, or with one that moves, either guess tears away from all
  // others, and what that does to a stiff material is no scale of what a step begins with.
  void evaluate_begin(int slot) {
    in_slot(slot, [&] {
      guess_velocity(exec, problem, NodeGuess::kTarget);
      sum_demand(exec, problem);
      evaluate_stress_at_rest();
      // v*, of which the inertia is none.
      exec.copy(problem.view.trial, problem.view.target, memory.channel(Memory::kTarget).bytes());
      evaluate_nodes(exec, problem);
    });
  }
  // One solve alone has flow lag: it is at the rates that the step begins with.
  void evaluate_stress_at_rest() {
    problem.at_rest = linear;
    if (!linear)
      memory.channel(Memory::kTrial).zero();
    else
      guess_velocity(exec, problem, NodeGuess::kBefore);
    clear_nodes(exec, problem.view.gradient, 1, problem.max_blocks, problem.control);
    evaluate_particles(exec, problem, linear ? NodeVectors::kVelocities : NodeVectors::kChanges);
    problem.at_rest = false;
  }
  // Of the system of one linear solve. Velocities of nodes that moving bodies hold count by the
  // stiffnesses.
  void guess_linear(NodeGuess by, int slot, bool bodies_move) {
    in_slot(slot, [&] {
      evaluate_stress_at_rest();
      guess_velocity(exec, problem, by);
      if (bodies_move)
        apply_stiffness(exec, problem, NodeVectors::kVelocities, problem.view.velocity,
                        problem.view.gradient);
      evaluate_nodes(exec, problem);
    });
  }
};

}  // namespace firn
