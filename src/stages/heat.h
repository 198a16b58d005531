// The heat equation on the cells, by backward Euler, and the particles that melt and freeze.
#pragma once

#include "src/stages/material_cells.h"
#include "src/stages/retry.h"
#include "src/stages/solve_stats.h"

namespace firn {

template <class Exec, int D, class Real>
class HeatStage : public Stage<Exec, D, Real> {
 public:
  HeatStage(const Scene& scene, StepContext<Exec, D, Real>& context,
            FaceTransfer<Exec, D, Real>& faces, MaterialCells<Exec, D, Real>& cells,
            Retry<Exec, D, Real>& retry)
      : Stage<Exec, D, Real>(context),
        faces_(faces),
        cells_(cells),
        retry_(retry),
        options_(solve_options(scene.thermal.heat_solve)),
        solver_(context.exec) {}

  void scatter() {
    StepControl* c = context_.step();
    const std::uint32_t blocks = context_.max_blocks();
    const ParticleView<Real> particles = context_.particles.view();
    const GridView<Real> grid = context_.grid.view();
    if (solves()) heat_p2g<Exec, D, Real>(context_.exec, particles, grid, cells_.view(), blocks, c);
    if (cells_.store().has_sources())
      power_p2g<Exec, D, Real>(context_.exec, particles, grid, cells_.view(), blocks, c);
  }
  // Cells exchange heat, particles take the change. False if the step is over.
  bool conduct() {
    if (!solves()) return true;
    StepControl* c = context_.step();
    const std::uint32_t blocks = context_.max_blocks();
    const GridView<Real> grid = context_.grid.view();
    const HeatView<Real> view = cells_.view();
    const MacView<Real> mac = faces_.view();
    const GridUpdateParams<Real, D> boundaries = context_.boundaries();
    settle_cells<Exec, D, Real>(context_.exec, boundaries, grid, view, blocks, c);
    assemble_heat<Exec, D, Real>(context_.exec, boundaries, grid, mac, view, blocks, c);
    const auto system = cells_.store().system(grid, {&c->n_blocks, blocks});
    const SolveReport report = timed_solve(
        context_.exec, stats_.seconds, [&] { return solver_.solve(system, options_, &c->stop); });
    if (!retry_.accepts(report, kHeatSystem)) return false;
    count_solve(report, stats_);
    apply_fluxes<Exec, D, Real>(context_.exec, mac, view, blocks, c);
    heat_g2p<Exec, D, Real>(context_.exec, context_.particles.view(), grid, view, blocks, c);
    return true;
  }

  void reserve_blocks(std::uint32_t blocks) {
    if (solves()) solver_.reserve(blocks, true);
  }
  void begin_frame() { stats_ = {}; }
  void report(FrameStats& stats) { stats.thermal.heat = stats_; }
  std::size_t bytes() const { return solver_.bytes(); }

 private:
  using Stage<Exec, D, Real>::context_;
  bool solves() const { return context_.heat_model.solves(); }

  FaceTransfer<Exec, D, Real>& faces_;
  MaterialCells<Exec, D, Real>& cells_;
  Retry<Exec, D, Real>& retry_;
  SolveOptions options_;
  EllipticSolver<Exec, D, Real> solver_;
  SolverStats stats_;
};

}  // namespace firn
