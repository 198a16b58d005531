// The layout of a step: which blocks there are, and which chunk each particle lies in.
#pragma once

#include "kernels/exec/replay.h"
#include "src/stages/stage.h"

namespace firn {

template <class Exec, int D, class Real>
class LayoutStage : public Stage<Exec, D, Real> {
 public:
  using Stage<Exec, D, Real>::Stage;

  void enqueue() {
    Exec& exec = context_.exec;
    StepControl* c = context_.step();
    open_step(exec, context_.params.dx, c);
    run_unless(exec, &c->skip_layout, [&] { find(); });
    // Beside the other, not in it: between fused steps it is left out.
    run_unless(exec, &c->skip_permute, [&] { permute(); });
    if (context_.partition->is_split()) meet();
  }
  // The parts, whose launches look at the control block themselves: see run_unless.
  void find() {
    StepControl* c = context_.step();
    const GridView<Real> grid = context_.grid.view();
    const RebuildView view = scratch();
    if (context_.fused)
      save_nodes(context_.exec, grid, context_.max_blocks(), c);
    else if (view.near_counts.count != nullptr)
      save_keys(context_.exec, grid, context_.max_blocks(), c);
    rebuild_layout<Exec, D, Real>(context_.exec, home_shift<Real>(context_.params.transfer),
                                  context_.bodies.sinks(), context_.particles.view(), grid, view,
                                  c);
    context_.particles.change_bank(view, c);
  }
  void permute() { context_.particles.permute_in_place(scratch(), context_.step()); }

 private:
  using Stage<Exec, D, Real>::context_;

  RebuildView scratch() {
    RebuildView scratch;
    context_.particles.fill(scratch);
    context_.grid.fill(scratch);
    context_.fields.fill(scratch);
    scratch.staggered = context_.params.transfer.staggered;
    return scratch;
  }
  // Where one partition lacks room all of them repeat the step.
  void meet() {
    context_.agree();
    const StepControl c = context_.read();
    if (c.stop == 0) context_.partition->meet(context_.grid.keys(c.n_blocks));
  }
};

}  // namespace firn
