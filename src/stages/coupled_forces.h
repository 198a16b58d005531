// Forces of stress or viscosity on the faces that are solved for together with the pressure
// (kernels/stress/deviatoric.h).
#pragma once

#include "src/solvers/deviatoric_solver.h"
#include "src/stages/projection.h"

namespace firn {

template <class Exec, int D, class Real>
class CoupledForces : public Stage<Exec, D, Real> {
 public:
  CoupledForces(StepContext<Exec, D, Real>& context, FaceTransfer<Exec, D, Real>& faces,
                Projection<Exec, D, Real>& projection, Retry<Exec, D, Real>& retry,
                const SolveOptions& options, const SystemName& name)
      : Stage<Exec, D, Real>(context),
        faces_(faces),
        projection_(projection),
        retry_(retry),
        options_(options),
        name_(name),
        solver_(context.exec) {}

  // Without a verdict; the projection has left velocities and pressure. What the pressure changes
  // by is 0 in the middle of cells of air: masses of faces of which the surface leaves a hundredth
  // made ten times as many iterations.
  SolveReport solve(const DeviatoricProblem<Real>& problem) {
    const bool known = !faces_.view().ghost_fluid;
    if (!known) projection_.replace_matrix(problem.mac);
    return solver_.solve(
        problem, options_, projection_.solver(), projection_.system(), known,
        [&](const SolveReport& inner) { count_solve(inner, projection_.stats()); });
  }

  void begin_frame() { stats_ = {}; }
  std::size_t bytes() const { return solver_.bytes(); }

 protected:
  using Stage<Exec, D, Real>::context_;

  // Shear from velocities that volume already allows: of an impact, or of weight on a floor, it
  // would otherwise take up what the pressure is there for; [T 6] projects once, afterwards. False
  // if the step is over.
  bool couple(const DeviatoricProblem<Real>& problem) {
    const SolveReport report =
        timed_solve(context_.exec, stats_.seconds, [&] { return solve(problem); });
    if (!retry_.accepts(report, name_)) return false;
    count_solve(report, stats_);
    if (context_.bodies.count() > 0)
      deviatoric_reactions<Exec, D, Real>(context_.exec, problem, context_.boundaries());
    return true;
  }
  DeviatoricProblem<Real> problem() {
    MacView<Real> mac = faces_.view();
    mac.ghost_fluid = false;
    return {context_.params.transfer.degree, context_.particles.view(), context_.grid.view(), mac,
            solver_.view(faces_.layers()),   context_.max_blocks(),     context_.step()};
  }
  DeviatoricSolver<Exec, D, Real>& solver() { return solver_; }
  const SolverStats& stats() const { return stats_; }

 private:
  FaceTransfer<Exec, D, Real>& faces_;
  Projection<Exec, D, Real>& projection_;
  Retry<Exec, D, Real>& retry_;
  SolveOptions options_;
  const SystemName& name_;
  DeviatoricSolver<Exec, D, Real> solver_;
  SolverStats stats_;
};

}  // namespace firn
