// A force that the host evaluates for every particle (Simulation::set_body_force): a kick of the
// particles before P2G is the same impulse on the grid as a body force in its update.
#pragma once

#include <utility>

#include "src/stages/stage.h"

namespace firn {

template <class Exec, int D, class Real>
class BodyForceStage : public Stage<Exec, D, Real> {
 public:
  using Stage<Exec, D, Real>::Stage;

  void set(Simulation::BodyForce force) { force_ = std::move(force); }
  bool is_set() const { return static_cast<bool>(force_); }
  bool needs_host() const { return is_set(); }

  void enqueue() {
    if (!force_) return;
    const StepControl c = context_.read();
    if (c.stop != 0) return;
    auto& particles = context_.particles;
    const ChunkSpan present = chunks_of(c);
    const auto ids = particles.ids(present);
    const auto chunks = particles.chunks(present);
    auto v = particles.download(kV, present);
    for (std::uint32_t slot = 0; slot < ids.size(); ++slot) {
      if (slot % kLanes >= chunks[slot / kLanes].count) continue;
      const Vec3 force = force_(ids[slot], c.time);
      for (int a = 0; a < D; ++a)
        channel_at(v.data(), slot, D, a) +=
            static_cast<Real>(c.dt * force[static_cast<std::size_t>(a)]);
    }
    particles.upload_raw(kV, present, v);
  }

 private:
  using Stage<Exec, D, Real>::context_;
  Simulation::BodyForce force_;
};

}  // namespace firn
