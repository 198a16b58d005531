// What cells hold of the particles around them when these may resist shear, be compressed and have
// a temperature: sums of volume and heat, and the faces beyond the material.
#pragma once

#include "kernels/stress/volumetric.h"
#include "src/stages/face_transfer.h"
#include "src/state/heat_store.h"

namespace firn {

template <class Exec, int D, class Real>
class MaterialCells : public Stage<Exec, D, Real> {
 public:
  MaterialCells(const Scene& scene, StepContext<Exec, D, Real>& context,
                FaceTransfer<Exec, D, Real>& faces)
      : Stage<Exec, D, Real>(context),
        faces_(faces),
        store_(context.exec, scene, context.heat_model) {}

  HeatStore<Exec, D, Real>& store() { return store_; }
  HeatView<Real> view() { return store_.view(context_.particles.heat()); }

  // Volume ratio, compressibility and elastic share of the cells.
  void sum_volume() {
    const StepControl* c = context_.step();
    const std::uint32_t blocks = context_.max_blocks();
    store_.clear();
    volume_p2g<Exec, D, Real>(context_.exec, context_.particles.view(), context_.grid.view(),
                              view(), blocks, c);
    settle_volume<Exec, D, Real>(context_.exec, context_.params.transfer.corrects_positions,
                                 faces_.view(), view(), blocks, c);
  }
  // Adds compressibility to the system of the projection.
  void compress(const MacView<Real>& mac) {
    compress_cells<Exec, D, Real>(context_.exec, mac, view(), context_.max_blocks(),
                                  context_.step());
  }
  // The change of pressure goes to the particles' volumes.
  void give_volume() {
    volume_g2p<Exec, D, Real>(context_.exec, context_.particles.view(), context_.grid.view(),
                              faces_.view(), view(), context_.max_blocks(), context_.step());
  }

  void reserve_blocks(std::uint32_t blocks) { store_.reserve(blocks); }
  void poll(StepControl& c) {
    if ((c.stop & kStopField) == 0) return;
    context_.half_way = true;
    store_.throw_field_fault();
  }
  std::size_t bytes() const { return store_.bytes(); }

 private:
  using Stage<Exec, D, Real>::context_;
  FaceTransfer<Exec, D, Real>& faces_;
  HeatStore<Exec, D, Real> store_;
};

}  // namespace firn
