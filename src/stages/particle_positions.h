// implicit.positions = "backward_euler": particles go to where the velocities of the nodes have
// them end, not from where they begin (kernels/implicit/positions.h).
#pragma once

#include "kernels/implicit/positions.h"
#include "src/stages/stage.h"

namespace firn {

template <class Exec, int D, class Real>
class ParticlePositionsStage : public Stage<Exec, D, Real> {
 public:
  ParticlePositionsStage(const Scene& scene, StepContext<Exec, D, Real>& context)
      : Stage<Exec, D, Real>(context), on_(is_on(scene)) {}

  static bool is_on(const Scene& scene) {
    return scene.implicit.positions == ParticlePositions::kBackwardEuler;
  }

  // Before the gather moves them.
  void begin() {
    if (on_) context_.exec.copy(before_.data(), context_.particles.view().x, before_.bytes());
  }
  // Behind it.
  void enqueue() {
    if (!on_) return;
    settle_positions<Exec, D, Real>(context_.exec, context_.params.transfer, context_.params.bounds,
                                    context_.boundaries(), context_.particles.view(),
                                    before_.data(), context_.grid.view(), context_.step(),
                                    context_.max_blocks());
  }

  void reserve_chunks(std::uint32_t chunks) {
    const std::size_t reals = std::size_t{chunks} * kLanes * D;
    if (on_ && before_.size() != reals) renew(context_.exec, before_, reals);
  }
  std::size_t bytes() const { return before_.bytes(); }
  static std::size_t bytes_for(const Scene& scene, std::size_t chunks) {
    return is_on(scene) ? chunks * kLanes * D * sizeof(Real) : 0;
  }

 private:
  using Stage<Exec, D, Real>::context_;
  bool on_;
  Buffer<Exec, Real> before_;
};

}  // namespace firn
