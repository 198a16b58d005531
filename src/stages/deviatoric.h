// The deformation of particles and their deviatoric stress, on the faces explicitly or by a solve
// together with the pressure.
#pragma once

#include "src/solvers/deviatoric_solver.h"
#include "src/stages/material_cells.h"
#include "src/stages/projection.h"

namespace firn {

template <class Exec, int D, class Real>
class DeviatoricStage : public Stage<Exec, D, Real> {
 public:
  DeviatoricStage(const Scene& scene, StepContext<Exec, D, Real>& context,
                  FaceTransfer<Exec, D, Real>& faces, MaterialCells<Exec, D, Real>& cells,
                  Projection<Exec, D, Real>& projection, Retry<Exec, D, Real>& retry)
      : Stage<Exec, D, Real>(context),
        faces_(faces),
        cells_(cells),
        projection_(projection),
        retry_(retry),
        implicit_(scene.thermal.forces == ForceIntegration::kSemiImplicit),
        options_(solve_options(scene.thermal.force_solve)),
        laws_(context.exec, std::span<const MaterialParams<Real>>(context.params.materials)),
        solver_(context.exec) {}

  // The stress of the first step.
  void initialize() {
    context_.particles.clear_spare();
    deform();
  }

  // Shear from velocities that volume already allows: of an impact, or of weight on a floor, it
  // would otherwise take up what the pressure is there for; [T 6] projects once, afterwards. False
  // if the step is over.
  bool couple() {
    if (!implicit_) return true;
    const DeviatoricProblem<Real> problem = measured();
    const SolveReport report =
        timed_solve(context_.exec, stats_.seconds, [&] { return solve(problem); });
    if (!retry_.accepts(report, kForceSystem)) return false;
    count_solve(report, stats_);
    if (context_.bodies.count() > 0)
      deviatoric_reactions<Exec, D, Real>(context_.exec, problem, context_.boundaries());
    return true;
  }
  // The same without a verdict.
  SolveReport solve(const DeviatoricProblem<Real>& problem) {
    return solver_.solve(
        problem, options_, projection_.solver(), projection_.system(),
        [&](const SolveReport& inner) { count_solve(inner, projection_.stats()); });
  }
  // The system that is solved, of the particles as they are.
  DeviatoricProblem<Real> measured() {
    StepControl* c = context_.step();
    const ParticleView<Real> particles = context_.particles.view();
    const DeviatoricProblem<Real> problem{context_.params.transfer.degree,
                                          particles,
                                          context_.grid.view(),
                                          faces_.view(),
                                          solver_.view(faces_.layers()),
                                          context_.max_blocks(),
                                          c};
    measure_stretch<Exec, D, Real>(context_.exec, laws_.data(), particles, cells_.view(),
                                   problem.view, context_.particles.capacity(), c);
    return problem;
  }

  // F follows the velocity gradient.
  void deform() {
    deform_particles<Exec, D, Real>(context_.exec, laws_.data(), context_.particles.view(),
                                    cells_.view(), implicit_, context_.particles.capacity(),
                                    context_.step());
  }

  void reserve_blocks(std::uint32_t blocks) {
    if (implicit_) solver_.reserve(blocks);
  }
  void reserve_chunks(std::uint32_t chunks) {
    if (implicit_) solver_.reserve_particles(chunks);
  }
  const MaterialParams<Real>* laws() const { return laws_.data(); }

  void begin_frame() { stats_ = {}; }
  void report(FrameStats& stats) { stats.thermal.forces = stats_; }
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
  std::size_t bytes() const { return solver_.bytes(); }

 private:
  using Stage<Exec, D, Real>::context_;
  FaceTransfer<Exec, D, Real>& faces_;
  MaterialCells<Exec, D, Real>& cells_;
  Projection<Exec, D, Real>& projection_;
  Retry<Exec, D, Real>& retry_;
  bool implicit_;
  SolveOptions options_;
  Buffer<Exec, MaterialParams<Real>> laws_;
  DeviatoricSolver<Exec, D, Real> solver_;
  SolverStats stats_;
};

}  // namespace firn
