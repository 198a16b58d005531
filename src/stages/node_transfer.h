// Transfers on the nodes of the grid and what lies between them: particles to nodes with internal
// forces, the grid update, and nodes to particles, in one pass with the constitutive update and the
// next step's scatter where steps are fused.
#pragma once

#include "kernels/grid/meet_materials.h"
#include "kernels/transfer/transfer.h"
#include "src/stages/particle_stress.h"

namespace firn {

template <class Exec, int D, class Real>
class NodeTransfer : public Stage<Exec, D, Real> {
 public:
  NodeTransfer(StepContext<Exec, D, Real>& context, EnergyStage<Exec, D, Real>& energies,
               ParticleStress<Exec, D, Real>& stress)
      : Stage<Exec, D, Real>(context), energies_(energies), stress_(stress) {}

  // What fused steps have left on the grid follows its blocks into the new layout.
  void carry() {
    if (context_.fused)
      carry_nodes(context_.exec, context_.grid.view(), context_.max_blocks(), context_.step());
  }

  void scatter() {
    StepControl* c = context_.step();
    const std::uint32_t blocks = context_.max_blocks();
    const GridView<Real> grid = context_.grid.view();
    const TransferParams& transfer = context_.params.transfer;
    if (!context_.fused) {
      clear_nodes(context_.exec, grid.momentum, 1, blocks, c);
      if (transfer.separate_force) clear_nodes(context_.exec, grid.impulse, 1, blocks, c);
    }
    if (context_.partition->is_split()) return scatter_with_others(grid);
    p2g<Exec, D, Real>(context_.exec, transfer, context_.particles.view(),
                       context_.particles.late(), grid, c, blocks);
  }

  void update() {
    StepControl* c = context_.step();
    GridUpdateParams<Real, D> update = context_.boundaries();
    update.stage_energies = energies_.of_blocks();
    const std::uint32_t blocks = context_.max_blocks();
    meet_materials<Exec, D, Real>(context_.exec, update, context_.fields.contacts(),
                                  context_.grid.view(), blocks, c);
    context_.fields.accumulate(context_.grid.view(), blocks, c);
    auto& moved = context_.bodies.moved();
    if (moved.count() > 0)
      moved.update_grid(update, context_.grid.view(), blocks, c);
    else
      grid_update<Exec, D, Real>(context_.exec, update, context_.grid.view(), blocks, c);
    context_.partition->count_once(context_.bodies.reactions());
    context_.bodies.accumulate(blocks, c);
    if (moved.count() > 0) moved.advance(update, blocks, c);
  }

  // The gather, which in fused steps scatters for the next one.
  void gather() {
    context_.fused ? gather_and_scatter() : gather_apart([] {});
  }
  // The gather of steps that are not fused; moved() once it has moved the particles.
  template <class F>
  void gather(F&& moved) {
    gather_apart(moved);
  }

 private:
  using Stage<Exec, D, Real>::context_;

  // Colour by colour where the order of sums is fixed: blocks of one colour reach no node in
  // common, so that the nodes of every partition's blocks take what comes to them in the order in
  // which those of a whole domain do.
  void scatter_with_others(const GridView<Real>& grid) {
    if (context_.read().stop != 0) return;
    const int colours = int_power(grid.parities, D);
    GridView<Real> one = grid;
    if (!in_any_order()) one.parities = 1;
    for (int colour = 0; colour < (in_any_order() ? 1 : colours); ++colour, ++one.colour_begin) {
      p2g<Exec, D, Real>(context_.exec, context_.params.transfer, context_.particles.view(),
                         context_.particles.late(), one, context_.step(), context_.max_blocks());
      for_each_sum(grid, [&](BlockRows<Real> rows) { context_.partition->add_halo(rows); });
    }
    for_each_sum(grid, [&](BlockRows<Real> rows) { context_.partition->copy_halo(rows); });
  }
  bool in_any_order() const {
    if constexpr (Exec::kIsCuda)
      return !context_.exec.reproducible();
    else
      return false;
  }
  // What P2G adds up on nodes.
  template <class F>
  void for_each_sum(const GridView<Real>& grid, F&& f) {
    constexpr std::size_t kReals = 4 * BlockTraits<D>::kNodes;
    f(BlockRows<Real>{grid.momentum, kReals});
    if (context_.params.transfer.separate_force) f(BlockRows<Real>{grid.impulse, kReals});
  }

  void gather_and_scatter() {
    g2p2g<Exec, D, Real>(context_.exec, context_.params.transfer, context_.params.bounds,
                         context_.boundaries(), stress_.laws(), energies_.view(),
                         context_.particles.view(), context_.grid.view(), context_.step(),
                         context_.max_blocks());
    context_.mark(kClockFused);
  }
  template <class F>
  void gather_apart(F&& moved) {
    StepControl* c = context_.step();
    const std::uint32_t blocks = context_.max_blocks();
    const ParticleView<Real> particles = context_.particles.view();
    const GridView<Real> grid = context_.grid.view();
    g2p<Exec, D, Real>(context_.exec, context_.params.transfer, context_.params.bounds,
                       context_.boundaries(), stress_.laws(), particles, grid, c, blocks);
    moved();
    context_.mark(kClockG2P);
  }

  EnergyStage<Exec, D, Real>& energies_;
  ParticleStress<Exec, D, Real>& stress_;
};

}  // namespace firn
