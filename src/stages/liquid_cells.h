// How full of liquid the cells are, and in which of them the pressure is solved.
#pragma once

#include "kernels/grid/update.h"
#include "kernels/liquid/position_correction.h"
#include "kernels/mac/flood_cells.h"
#include "src/stages/face_transfer.h"

namespace firn {

template <class Exec, int D, class Real>
class LiquidCells : public Stage<Exec, D, Real> {
 public:
  LiquidCells(StepContext<Exec, D, Real>& context, FaceTransfer<Exec, D, Real>& faces)
      : Stage<Exec, D, Real>(context), faces_(faces), sums_(context.exec, kExcessColumns) {}

  void enqueue() {
    const StepControl* c = context_.step();
    const std::uint32_t blocks = context_.max_blocks();
    const GridView<Real> grid = context_.grid.view();
    const MacView<Real> mac = faces_.view();
    const bool fill = mac.ghost_fluid || context_.params.transfer.corrects_positions;
    filled_ = fill || context_.params.totals;
    if (filled_)
      fill_cells<Exec, D, Real>(context_.exec, context_.boundaries(), context_.particles.view(),
                                grid, mac, blocks, c);
    flood_cells<Exec, D, Real>(context_.exec, context_.boundaries(), fill, grid, mac, blocks, c);
  }

  // Of the last step, as it began.
  void report(FrameStats& stats) {
    if (!filled_ || !context_.params.totals) return;
    const std::uint32_t blocks = context_.max_blocks();
    if (table_.size() < std::size_t{blocks} * kExcessColumns) {
      table_ = {};
      table_ = Buffer<Exec, double>(context_.exec, std::size_t{blocks} * kExcessColumns);
    }
    sums_.zero();
    measure_excess<Exec, D, Real>(context_.exec, faces_.view(), blocks, table_.data(),
                                  context_.step());
    add_columns(context_.exec, table_.data(), {&context_.step()->n_blocks, blocks}, kExcessColumns,
                sums_.data(), nullptr);
    std::vector<double> sums = sums_.download();
    context_.partition->sum(sums);
    stats.lost_volume = sums[kHeld] > 0 ? sums[kBeyond] / sums[kHeld] : 0;
  }
  std::size_t bytes() const { return table_.bytes(); }

 private:
  using Stage<Exec, D, Real>::context_;
  FaceTransfer<Exec, D, Real>& faces_;
  Buffer<Exec, double> table_, sums_;
  bool filled_ = false;  // by a step of this run of the program
};

}  // namespace firn
