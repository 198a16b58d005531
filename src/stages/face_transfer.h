// Transfers on the faces of cells (kernels/transfer/mac.h), the channels of the MAC grid, and the
// velocities beyond the liquid that particles at its surface read.
#pragma once

#include "kernels/mac/boundaries.h"
#include "kernels/mac/extrapolation.h"
#include "kernels/mac/prepare.h"
#include "kernels/mac/project.h"
#include "kernels/transfer/mac.h"
#include "src/stages/stage.h"
#include "src/state/mac_store.h"

namespace firn {

// What faces and cells are taken for: the rest of a MacView.
template <class Real>
struct MacSettings {
  bool ghost_fluid = false, whole_cells = false;
  Real specific_volume = 0;
  bool clings = false;  // sticky boundaries hold shear
  bool shears = false;  // viscosity takes strains from faces
};

// m^d/kg, or 0 if there are several, or none.
inline double common_specific_volume(const Scene& scene) {
  if (scene.materials.empty()) return 0;
  const double density = scene.materials.front().density;
  bool one = true;
  for (const Material& m : scene.materials) one &= m.density == density;
  for (const Body& b : scene.bodies) one &= b.density_scale == 1;
  return one ? 1 / density : 0;
}

template <class Exec, int D, class Real>
class FaceTransfer : public Stage<Exec, D, Real> {
 public:
  FaceTransfer(StepContext<Exec, D, Real>& context, const MacSettings<Real>& settings)
      : Stage<Exec, D, Real>(context), settings_(settings), mac_(context.exec, settings.clings) {}

  MacView<Real> view() {
    MacView<Real> mac = after_handing_on(handed_on_, mac_.view(context_.grid.view().nodes));
    mac.ghost_fluid = settings_.ghost_fluid;
    mac.specific_volume = settings_.specific_volume;
    mac.whole_cells = settings_.whole_cells;
    if (elastic_fraction_ != nullptr) mac.elastic_fraction = elastic_fraction_->data();
    return mac;
  }
  MacStore<Exec, D, Real>& store() { return mac_; }
  // Of cells, [block][64], where some material resists shear.
  void set_elastic_fraction(const Buffer<Exec, Real>& of_cells) { elastic_fraction_ = &of_cells; }

  // Particles to faces, and which cells hold particles.
  void scatter() {
    StepControl* c = context_.step();
    const std::uint32_t blocks = context_.max_blocks();
    const ParticleView<Real> particles = context_.particles.view();
    const GridView<Real> grid = context_.grid.view();
    clear_nodes(context_.exec, grid.nodes, D, blocks, c);
    mac_p2g<Exec, D, Real>(context_.exec, context_.params.transfer, particles, grid, grid.nodes, c,
                           blocks);
  }
  void classify() {
    classify_cells<Exec, D, Real>(context_.exec, context_.params.bounds, context_.particles.view(),
                                  context_.grid.view(), view(), context_.max_blocks(),
                                  context_.step());
  }
  // Which faces keep their velocity; those beyond hand on what the particles have given them, or
  // it would be lost, and complete() would give them more energy than they had.
  void transpose_extrapolation() {
    find_layers<Exec, D, Real>(context_.exec, context_.boundaries(), layers(), context_.grid.view(),
                               view(), context_.blocks());
    transpose_faces<Exec, D, Real>(context_.exec, layers(), view(), context_.blocks());
    handed_on_ = layer_count();
  }
  // Open areas, and what the particles have left where.
  void measure() {
    handed_on_ = 0;
    MacView<Real> mac = view();
    mac.still = !context_.bodies.moves();
    measure_faces<Exec, D, Real>(context_.exec, context_.boundaries(),
                                 context_.bodies.moved().view(), context_.grid.view(), mac,
                                 context_.max_blocks(), context_.step());
  }
  // Momentum and impulses become velocities.
  void accelerate() {
    accelerate_faces<Exec, D, Real>(context_.exec, context_.boundaries(), context_.grid.view(),
                                    view(), context_.max_blocks(), context_.step());
  }
  // A face of a fluid cell may have no mass: its particles lie on the other faces, or it is cut.
  void fill_gaps() { extrapolate(context_.bodies.count() > 0 ? D : 1, true); }

  // From the faces of fluid cells to all that particles read, boundaries obeyed.
  void complete() {
    StepControl* c = context_.step();
    const std::uint32_t blocks = context_.max_blocks();
    extrapolate(layer_count(), false);
    constrain_faces<Exec, D, Real>(context_.exec, context_.boundaries(), context_.grid.view(),
                                   completed(), blocks, c);
    complete_faces<Exec, D, Real>(context_.exec, completed(), blocks, c);
  }
  // Velocities beyond the material, of which particles take the strain.
  void extrapolate_strained() {
    extrapolate_velocities<Exec, D, Real>(context_.exec, layers(), completed(), context_.blocks());
  }
  void gather() {
    StepControl* c = context_.step();
    const std::uint32_t blocks = context_.max_blocks();
    const ParticleView<Real> particles = context_.particles.view();
    const GridView<Real> grid = context_.grid.view();
    mac_g2p<Exec, D, Real>(context_.exec, context_.params.transfer, context_.params.bounds,
                           context_.boundaries(), particles, grid, grid.nodes, c, blocks);
  }
  // With the masks of faces that complete() has left.
  MacView<Real> completed() { return after_layers(layer_count(), view()); }

  // Faces that a stencil reads lie at most this many steps from one of a fluid cell: one along the
  // face's own axis beyond the linear kernel, and the reach of the kernel along the others; from a
  // valid one they lie one further where bodies slip, and where cells less than half full are none
  // of fluid.
  int layer_count() const {
    const int degree = context_.params.transfer.degree;
    const int along = degree == 1 ? 0 : 1, across = degree == 3 ? 2 : 1;
    return along + across * (D - 1) + (context_.bodies.count() > 0 ? 1 : 0) +
           (settings_.shears && settings_.ghost_fluid ? 1 : 0);
  }

  FaceLayers layers() { return mac_.layers(layer_count()); }

  void reserve_blocks(std::uint32_t blocks) { mac_.reserve(blocks); }
  std::size_t bytes() const { return mac_.bytes(); }

 private:
  using Stage<Exec, D, Real>::context_;

  void extrapolate(int layers, bool gaps_only) {
    extrapolate_faces<Exec, D, Real>(context_.exec, layers, gaps_only, view(),
                                     context_.max_blocks(), context_.step());
  }

  MacSettings<Real> settings_;
  int handed_on_ = 0;  // layers, since the last measure()
  const Buffer<Exec, Real>* elastic_fraction_ = nullptr;
  MacStore<Exec, D, Real> mac_;
};

}  // namespace firn
