// How full of liquid the cells are, and in which of them the pressure is solved.
#pragma once

#include "kernels/liquid/position_correction.h"
#include "src/stages/face_transfer.h"

namespace firn {

template <class Exec, int D, class Real>
class LiquidCells : public Stage<Exec, D, Real> {
 public:
  LiquidCells(StepContext<Exec, D, Real>& context, FaceTransfer<Exec, D, Real>& faces)
      : Stage<Exec, D, Real>(context), faces_(faces) {}

  void enqueue() {
    const StepControl* c = context_.step();
    const std::uint32_t blocks = context_.max_blocks();
    const GridView<Real> grid = context_.grid.view();
    const MacView<Real> mac = faces_.view();
    const bool fill = mac.ghost_fluid || context_.params.transfer.corrects_positions;
    if (fill)
      fill_cells<Exec, D, Real>(context_.exec, context_.particles.view(), grid, mac, blocks, c);
    flood_cells<Exec, D, Real>(context_.exec, context_.boundaries(), fill, grid, mac, blocks, c);
  }

 private:
  using Stage<Exec, D, Real>::context_;
  FaceTransfer<Exec, D, Real>& faces_;
};

}  // namespace firn
