// The pressure of the projection at the particles, for who looks at them after the step; not saved.
#pragma once

#include "kernels/mac/particle_pressure.h"
#include "src/stages/face_transfer.h"

namespace firn {

template <class Exec, int D, class Real>
class ParticlePressureStage : public Stage<Exec, D, Real> {
 public:
  ParticlePressureStage(StepContext<Exec, D, Real>& context, FaceTransfer<Exec, D, Real>& faces)
      : Stage<Exec, D, Real>(context), faces_(faces) {}

  // After the projection, before the position correction.
  void enqueue() {
    particle_pressure<Exec, D, Real>(context_.exec, context_.particles.view(), context_.grid.view(),
                                     faces_.view(), values_.data(), every_step_,
                                     context_.max_blocks(), context_.step());
  }

  void reserve_chunks(std::uint32_t chunks) {
    if (values_.size() < bytes_for(chunks) / sizeof(Real))
      renew(context_.exec, values_, bytes_for(chunks) / sizeof(Real));
  }
  // As after loading: the next step solves for it.
  void particles_changed(ChunkSpan) { values_.zero(); }
  void load(ByteReader&, std::uint32_t) { values_.zero(); }
  std::size_t bytes() const { return values_.bytes(); }
  // What bytes() says once `chunks` are reserved, for estimates.
  static std::size_t bytes_for(std::size_t chunks) { return chunks * kLanes * sizeof(Real); }

  void watch(bool every_step) { every_step_ = every_step; }
  void fill(Snapshot& s, const SnapshotParts& parts, std::span<const std::uint32_t> slots) {
    if ((!parts.pressure && !parts.kirchhoff_stress) || !is_known(context_.read())) return;
    const auto values = values_.download();
    s.pressure.reserve(slots.size());
    for (const std::uint32_t slot : slots) s.pressure.push_back(static_cast<float>(values[slot]));
  }

 private:
  using Stage<Exec, D, Real>::context_;
  // The last step was measured: it was watched, or went to where it was to go.
  bool is_known(const StepControl& c) const {
    return every_step_ || (c.stop & kStopTarget) != 0 || c.step == c.last_step || c.step == 0;
  }

  FaceTransfer<Exec, D, Real>& faces_;
  Buffer<Exec, Real> values_;
  bool every_step_ = false;
};

}  // namespace firn
