// The grid step of integrator = "optimization": velocities of nodes under the forces at the end of
// the step, in place of the grid update.
#pragma once

#include <limits>

#include "src/scene/boundary_types.h"
#include "src/solvers/newton_solver.h"
#include "src/stages/retry.h"
#include "src/stages/solve_stats.h"

namespace firn {

template <class Exec, int D, class Real>
class ImplicitForces : public Stage<Exec, D, Real> {
 public:
  ImplicitForces(const Scene& scene, StepContext<Exec, D, Real>& context,
                 const MaterialParams<Real>* laws, Retry<Exec, D, Real>& retry)
      : Stage<Exec, D, Real>(context),
        laws_(laws),
        retry_(retry),
        opens_(has_boundary_type(scene, BoundaryType::kSeparate) || context.bodies.has_openings()),
        system_(traits_of(scene).linear ? kLinearSystem : kNewtonSystem),
        most_iterations_(traits_of(scene).linear ? 0 : scene.implicit.max_iterations),
        solver_(context.exec, scene, traits_of(scene).linear) {}

  // False if the step is over: it had been before, or its solve has missed the tolerance.
  bool enqueue() {
    const StepControl now = context_.read();
    if (now.stop != 0) return false;
    const ImplicitProblem<Real, D> problem{
        context_.params.transfer, laws_, context_.particles.view(), context_.grid.view(),
        context_.boundaries(),    {},    context_.max_blocks(),     context_.step()};
    NewtonReport newton;
    const SolveReport report = timed_solve(context_.exec, stats_.seconds, [&] {
      newton = solver_.solve(problem, now, opens_, context_.bodies.moves());
      return summary_of(newton);
    });
    count(newton);
    const bool stuck = !newton.converged && newton.iterations < most_iterations_;
    const bool accepted = retry_.accepts(report, stuck ? kStuckSystem : system_);
    // What bodies do by their motion is not in the potential of the begin.
    const bool unstable = newton.unstable && !context_.bodies.moves();
    const bool again = accepted && (newton.ends_in_body || unstable) && retry_.shortens(system_);
    if (again) ++stats_.rejected;
    if (!accepted || again) {
      context_.bodies.forget_dependents();
      return false;
    }
    context_.bodies.accumulate(context_.max_blocks(), context_.step());
    return true;
  }

  void reserve_blocks(std::uint32_t blocks) { solver_.reserve(blocks); }
  void reserve_chunks(std::uint32_t chunks) { solver_.reserve_particles(chunks); }
  void begin_frame() { stats_ = {}; }
  void report(FrameStats& stats) { stats.implicit = stats_; }
  std::size_t bytes() const { return solver_.bytes(); }

 private:
  using Stage<Exec, D, Real>::context_;

  static SolveReport summary_of(const NewtonReport& newton) {
    SolveReport report;
    report.converged = newton.converged;
    report.rounding_limited = newton.rounding_limited;
    report.iterations = static_cast<std::uint32_t>(newton.iterations);
    // A potential without a value at the guess may have one in a shorter step.
    report.residual =
        std::isfinite(newton.imbalance) ? newton.imbalance : std::numeric_limits<double>::max();
    report.tolerance = newton.tolerance;
    return report;
  }
  void count(const NewtonReport& newton) {
    ++stats_.solves;
    stats_.iterations += newton.iterations;
    stats_.max_iterations = std::max(stats_.max_iterations, std::int64_t{newton.iterations});
    stats_.linear_iterations += newton.linear_iterations;
    stats_.cuts += newton.cuts;
    stats_.passes += newton.passes;
    stats_.rejected += newton.converged ? 0 : 1;
    stats_.at_rounding += newton.at_rounding ? 1 : 0;
    stats_.looks += newton.looks;
    stats_.imbalance = newton.imbalance, stats_.tolerance = newton.tolerance;
    stats_.energy_before = newton.energy_before, stats_.energy_after = newton.energy_after;
  }

  const MaterialParams<Real>* laws_;
  Retry<Exec, D, Real>& retry_;
  bool opens_;
  const SystemName& system_;
  int most_iterations_;
  NewtonSolver<Exec, D, Real> solver_;
  ImplicitStats stats_;
};

}  // namespace firn
