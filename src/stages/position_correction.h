// The correction that takes particles out of cells that hold too many, with the matrix of the
// pressure (kernels/liquid/position_correction.h).
#pragma once

#include "kernels/liquid/position_correction.h"
#include "src/stages/projection.h"

namespace firn {

template <class Exec, int D, class Real>
class PositionCorrection : public Stage<Exec, D, Real> {
 public:
  PositionCorrection(StepContext<Exec, D, Real>& context, FaceTransfer<Exec, D, Real>& faces,
                     Projection<Exec, D, Real>& projection)
      : Stage<Exec, D, Real>(context), faces_(faces), projection_(projection) {}

  // A correction that is not found is no reason to reject a step: the particles only stay where
  // they are.
  void enqueue() {
    const bool found = context_.params.transfer.corrects_positions && solve();
    apply_correction<Exec, D, Real>(context_.exec, found, context_.grid.view(), faces_.view(),
                                    context_.max_blocks(), context_.step());
  }

 private:
  using Stage<Exec, D, Real>::context_;

  // Share of its volume that a sealed region may hold too much. Cut cells and rounding make a few
  // percent.
  static constexpr double kLargestSqueeze = 0.1;
  // Positions need not be exact: what is left is corrected in the next step.
  static constexpr double kTolerance = 1e-2;

  bool solve() {
    StepControl* c = context_.step();
    const std::uint32_t blocks = context_.max_blocks();
    const MacView<Real> mac = faces_.view();
    const bool replaced = projection_.is_replaced();
    if (replaced) {
      if (projection_.walls_opened()) close_walls<Exec, D, Real>(context_.exec, mac, blocks, c);
      assemble_projection<Exec, D, Real>(context_.exec, context_.grid.view(), mac, blocks, c);
    }
    assemble_correction<Exec, D, Real>(context_.exec, mac, blocks, c);
    faces_.store().clear_pressure();
    SolveOptions loose = projection_.options();
    loose.relative = std::max(loose.relative, kTolerance);
    const EllipticSystem<Real> system = projection_.system();
    auto& solver = projection_.solver();
    PressureStats& stats = projection_.stats();
    const SolveReport report = timed_solve(context_.exec, stats.correction_seconds, [&] {
      return replaced ? solver.solve(system, loose, &c->stop)
                      : solver.solve_again(system, loose, &c->stop);
    });
    // Bodies that the liquid moves give way to it, as the pressure sees to.
    if (report.imbalance > 0 && projection_.last().tied_components == 0)
      refuse_squeezed(report.imbalance);
    stats.correction_iterations += report.iterations;
    stats.corrections_lost += report.converged || report.stopped ? 0 : 1;
    return report.converged;
  }
  // A region without air that holds more than fits can neither move apart nor be made to: a source
  // or a body forces liquid into it.
  void refuse_squeezed(double rate) {
    const StepControl c = context_.read();
    const double excess = rate * c.dt;
    if (excess > kLargestSqueeze) throw squeezed_error(c, excess);
  }

  FaceTransfer<Exec, D, Real>& faces_;
  Projection<Exec, D, Real>& projection_;
};

}  // namespace firn
