// A boundary condition that the user of the library computes (Simulation::set_grid_boundary), on
// the nodes of the grid, behind those of the scene.
#pragma once

#include <utility>

#include "kernels/exec/default_streams.h"
#include "kernels/grid/exchange.h"
#include "src/stages/stage.h"
#include "src/state/particle_fields.h"

namespace firn {

template <class Exec, int D, class Real>
class GridBoundaryStage : public Stage<Exec, D, Real> {
 public:
  using Stage<Exec, D, Real>::Stage;

  void set(GridBoundary boundary, Memory memory) {
    boundary_ = std::move(boundary);
    memory_ = memory;
  }
  bool needs_host() const { return static_cast<bool>(boundary_); }

  // After the grid update. `stage_energies` as there.
  void enqueue(double* stage_energies) {
    if (!boundary_) return;
    const StepControl c = context_.read();
    if (c.stop != 0 || c.n_blocks == 0) return;
    const std::size_t nodes = std::size_t{context_.max_blocks()} * kNodes;
    if (mass_.size() < nodes) {
      renew(context_.exec, mass_, nodes);
      renew(context_.exec, position_, nodes * D);
      renew(context_.exec, velocity_, nodes * D);
    }
    const NodeArrays<Real> arrays{position_.data(), mass_.data(), velocity_.data()};
    give_nodes<Exec, D, Real>(context_.exec, context_.grid.view(), arrays, context_.max_blocks(),
                              context_.step());
    context_.exec.synchronize();
    if (Exec::kIsCuda && memory_ == Memory::kHost)
      ask_with_copies(c);
    else
      ask(c);
    take_nodes<Exec, D, Real>(context_.exec, context_.grid.view(), arrays, stage_energies,
                              context_.max_blocks(), context_.step());
  }

  std::size_t bytes() const { return position_.bytes() + mass_.bytes() + velocity_.bytes(); }

 private:
  using Stage<Exec, D, Real>::context_;
  static constexpr int kNodes = BlockTraits<D>::kNodes;

  static BoundaryStep step_of(const StepControl& c, const Real* position, const Real* mass,
                              Real* velocity) {
    BoundaryStep step;
    step.time = c.time;
    step.dt = c.dt;
    step.dimension = D;
    step.position = view_of_rows<const void>(position, D, D, c.n_blocks, kNodes);
    step.mass = view_of_rows<const void>(mass, 1, 1, c.n_blocks, kNodes);
    step.velocity = view_of_rows<void>(velocity, D, D, c.n_blocks, kNodes);
    return step;
  }

  void ask(const StepControl& c) {
    BoundaryStep step = step_of(c, position_.data(), mass_.data(), velocity_.data());
    step.position = placed(step.position, context_.exec);
    step.mass = placed(step.mass, context_.exec);
    step.velocity = placed(step.velocity, context_.exec);
    const typename Exec::Guard guard(context_.exec);
    boundary_(step);
    follow_default_streams(context_.exec);
  }
  void ask_with_copies(const StepControl& c) {
    const std::size_t nodes = std::size_t{c.n_blocks} * kNodes;
    const auto position = position_.download(nodes * D), mass = mass_.download(nodes);
    auto velocity = velocity_.download(nodes * D);
    boundary_(step_of(c, position.data(), mass.data(), velocity.data()));
    velocity_.upload(velocity);
  }

  GridBoundary boundary_;
  Memory memory_ = Memory::kHost;
  Buffer<Exec, Real> position_, mass_, velocity_;
};

}  // namespace firn
