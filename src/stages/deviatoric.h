// The deformation of particles and their deviatoric stress, on the faces explicitly or by a solve
// together with the pressure.
#pragma once

#include "src/stages/coupled_forces.h"
#include "src/stages/material_cells.h"

namespace firn {

template <class Exec, int D, class Real>
class DeviatoricStage : public CoupledForces<Exec, D, Real> {
  using Base = CoupledForces<Exec, D, Real>;

 public:
  DeviatoricStage(const Scene& scene, StepContext<Exec, D, Real>& context,
                  FaceTransfer<Exec, D, Real>& faces, MaterialCells<Exec, D, Real>& cells,
                  Projection<Exec, D, Real>& projection, Retry<Exec, D, Real>& retry)
      : Base(context, faces, projection, retry, solve_options(scene.thermal.force_solve),
             kForceSystem),
        cells_(cells),
        implicit_(scene.thermal.forces == ForceIntegration::kSemiImplicit),
        laws_(context.exec, std::span<const MaterialParams<Real>>(context.params.materials)) {}

  // The stress of the first step.
  void initialize() {
    context_.particles.clear_spare();
    deform();
  }

  // False if the step is over.
  bool couple() { return !implicit_ || Base::couple(measured()); }
  // The system that is solved, of the particles as they are.
  DeviatoricProblem<Real> measured() {
    const DeviatoricProblem<Real> problem = Base::problem();
    measure_stretch<Exec, D, Real>(context_.exec, laws_.data(), problem.particles, cells_.view(),
                                   problem.view, context_.particles.capacity(), context_.step());
    return problem;
  }

  // F follows the velocity gradient.
  void deform() {
    deform_particles<Exec, D, Real>(context_.exec, laws_.data(), context_.particles.view(),
                                    cells_.view(), implicit_, context_.particles.capacity(),
                                    context_.step());
  }

  void reserve_blocks(std::uint32_t blocks) {
    if (implicit_) Base::solver().reserve(blocks);
  }
  void reserve_chunks(std::uint32_t chunks) {
    if (implicit_) Base::solver().reserve_particles(chunks, stretch_components<D>());
  }
  const MaterialParams<Real>* laws() const { return laws_.data(); }

  void report(FrameStats& stats) { stats.thermal.forces = Base::stats(); }
  // The particles' stress is deviatoric; the pressure's part joins it: tau = V0 tau_dev / V0 - J p.
  void fill(Snapshot& s, const SnapshotParts& parts, std::span<const std::uint32_t> slots) {
    if (!parts.kirchhoff_stress) return;
    if (s.pressure.empty()) {  // without it the stress is not whole
      s.kirchhoff_stress = std::vector<float>();
      return;
    }
    const auto states = context_.particles.download(kHeat, chunks_of(context_.read()));
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const double J = std::exp(static_cast<double>(
          channel_at(states.data(), slots[i], kHeatComponents, kHeatLogVolume)));
      for (std::size_t a = 0; a < D; ++a)
        s.kirchhoff_stress[i * D * D + a * (D + 1)] -=
            static_cast<float>(J * static_cast<double>(s.pressure[i]));
    }
  }

 private:
  using Base::context_;
  MaterialCells<Exec, D, Real>& cells_;
  bool implicit_;
  Buffer<Exec, MaterialParams<Real>> laws_;
};

}  // namespace firn
