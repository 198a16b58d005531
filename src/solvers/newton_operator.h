// The system of a step of Newton's method, and what approximates its inverse, as Krylov methods ask
// for them.
#pragma once

#include "src/solvers/elliptic_solver.h"
#include "src/solvers/node_multigrid.h"

namespace firn {

template <class Exec, int D, class Real>
struct NewtonOperator {
  Exec& exec;
  const ImplicitProblem<Real, D>& problem;
  void enqueue(KrylovVector<Real> in, Real* out) {
    apply_stiffness(exec, problem, NodeVectors::kChanges, in.value, out);
    finish_stiffness(exec, problem, in.value, out);
  }
  auto local(KrylovVector<Real>, const Real* out) { return StoredProduct<D, Real>{out}; }
};

template <class Exec, int D, class Real>
struct NewtonPreconditioner {
  static constexpr bool kIsSolve = false;
  NodeMultigrid<Exec, D, Real>& multigrid;
  const ImplicitProblem<Real, D>& problem;
  bool coarse;
  SolveReport solve(const Real* r, KrylovVector<Real> z) {
    if (coarse) multigrid.correct(problem, r, z.value);
    return solved();
  }
  auto local(const Real* r, KrylovVector<Real> z) {
    return CorrectedInverse<D, Real>{{problem.view.inverse, r}, coarse ? z.value : nullptr};
  }
};

}  // namespace firn
