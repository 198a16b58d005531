// The particles' own stress, the internal force of explicit steps: what their laws say of their
// deformation, left in the stress channel, which the scatter turns into impulses of nodes. In fused
// steps the gather evaluates the laws itself.
#pragma once

#include "kernels/materials/constitutive.h"
#include "src/stages/energies.h"

namespace firn {

template <class Exec, int D, class Real>
class ParticleStress : public Stage<Exec, D, Real> {
 public:
  ParticleStress(StepContext<Exec, D, Real>& context, EnergyStage<Exec, D, Real>& energies)
      : Stage<Exec, D, Real>(context),
        energies_(energies),
        laws_(context.exec, std::span<const MaterialParams<Real>>(context.params.materials)) {}

  // That of the first step.
  void initialize() {
    ParticleView<Real> at_rest = context_.particles.view();
    at_rest.gradient = nullptr;
    EnergyView energies = energies_.view();
    energies.trial = nullptr;
    evaluate(at_rest, energies);
  }

  // After a gather has left the velocity gradients.
  void enqueue() {
    if (context_.fused) return;
    evaluate(context_.particles.view(), energies_.view());
    context_.mark(kClockConstitutive);
  }
  const MaterialParams<Real>* laws() const { return laws_.data(); }

  // -tr(tau) / d: positive in compression.
  void fill(Snapshot& s, const SnapshotParts& parts, std::span<const std::uint32_t> slots) {
    if (!parts.pressure || s.kirchhoff_stress.empty()) return;
    s.pressure.reserve(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      double trace = 0;
      for (std::size_t a = 0; a < D; ++a) trace += s.kirchhoff_stress[i * D * D + a * (D + 1)];
      s.pressure.push_back(static_cast<float>(-trace / D));
    }
  }

 private:
  using Stage<Exec, D, Real>::context_;

  void evaluate(const ParticleView<Real>& particles, const EnergyView& energies) {
    constitutive_step<Exec, D, Real>(context_.exec, laws_.data(), particles, energies,
                                     context_.particles.capacity(), context_.step());
  }

  EnergyStage<Exec, D, Real>& energies_;
  Buffer<Exec, MaterialParams<Real>> laws_;
};

}  // namespace firn
