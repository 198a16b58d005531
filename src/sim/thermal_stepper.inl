#pragma once

#include "firn/error.h"
#include "src/sim/incompressible_stepper.inl"
#include "src/sim/thermal_stepper.h"

namespace firn {

inline SolveOptions solve_options(const SolveSettings& s) {
  return {s.tolerance, 0, static_cast<std::uint32_t>(s.max_iterations)};
}

template <class Exec, int D, class Real>
ThermalStepper<Exec, D, Real>::ThermalStepper(const Scene& scene, std::unique_ptr<Exec> exec,
                                              ParticleNamer namer)
    : Base(scene, std::move(exec), std::move(namer)),
      has_solids_(!std::all_of(scene.materials.begin(), scene.materials.end(), never_solid)),
      implicit_(scene.thermal.forces == ForceIntegration::kSemiImplicit),
      heat_options_(solve_options(scene.thermal.heat_solve)),
      deviatoric_options_(solve_options(scene.thermal.force_solve)),
      laws_(*exec_, std::span<const MaterialParams<Real>>(params_.materials)),
      heat_(*exec_, scene, heat_model_),
      heat_solver_(*exec_),
      deviatoric_solver_(*exec_) {
  this->ghost_fluid_ = false;
  if (scene.thermal.face_density == FaceDensity::kCell) {
    this->specific_volume_ = 0;
    this->whole_cells_ = true;
  }
}

template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::reserve_for_blocks(std::uint32_t blocks) {
  fluid_.reserve(blocks);
  solver_.reserve(blocks, true);
  heat_.reserve(blocks);
  if (heat_model_.solves()) heat_solver_.reserve(blocks, true);
  if (implicit_) deviatoric_solver_.reserve(blocks);
}

template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::reserve_for_chunks(std::uint32_t chunks) {
  if (implicit_) deviatoric_solver_.reserve_particles(chunks);
}

// The stress of the first step.
template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::evaluate_initial_state() {
  particles_.clear_spare();
  after_gather();
}

template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::prepare(const GridView<Real>& grid, const MacView<Real>& mac) {
  StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  const ParticleView<Real> particles = particles_.view();
  const GridUpdateParams<Real, D> update = this->update_params();
  prepare_faces<Exec, D, Real>(*exec_, FacePass::kMeasure, update, grid, mac, blocks, c);
  this->find_fluid(grid, mac);
  const LaunchRange range{{&c->n_blocks, blocks}, &c->stop};
  find_layers<Exec, D, Real>(*exec_, update, layers(), grid, mac, range);
  transpose_faces<Exec, D, Real>(*exec_, layers(), mac, range);
  heat_.clear();
  volume_p2g<Exec, D, Real>(*exec_, particles, grid, heat(), blocks, c);
  settle_volume<Exec, D, Real>(*exec_, params_.transfer.drift, mac, heat(), blocks, c);
  prepare_faces<Exec, D, Real>(*exec_, FacePass::kAccelerate, update, grid, mac, blocks, c);
  if (heat_model_.solves()) heat_p2g<Exec, D, Real>(*exec_, particles, grid, heat(), blocks, c);
  if (heat_.has_sources()) power_p2g<Exec, D, Real>(*exec_, particles, grid, heat(), blocks, c);
}

template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::complete_system(const MacView<Real>& mac) {
  compress_cells<Exec, D, Real>(*exec_, mac, heat(), grid_.capacity(), control_.data());
}

// Temperatures and volumes move before the particles do, heat first, since its solve may yet reject
// the step; and before the density correction, which leaves another solution in the place of the
// pressure.
template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::after_projection(const GridView<Real>& grid,
                                                     const MacView<Real>& mac) {
  if (heat_model_.solves()) solve_heat(grid, mac);
  volume_g2p<Exec, D, Real>(*exec_, particles_.view(), grid, mac, heat(), grid_.capacity(),
                            control_.data());
}

// Shear from velocities that volume already allows: of an impact, or of weight on a floor, it would
// otherwise take up what the pressure is there for. [T 6 projects once, afterwards.]
template <class Exec, int D, class Real>
bool ThermalStepper<Exec, D, Real>::couple_forces(const GridView<Real>& grid,
                                                  const MacView<Real>& mac) {
  if (!implicit_) return true;
  StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  const ParticleView<Real> particles = particles_.view();
  const DeviatoricProblem<Real> problem{params_.transfer.degree,           particles, grid, mac,
                                        deviatoric_solver_.view(layers()), blocks,    c};
  measure_stretch<Exec, D, Real>(*exec_, laws_.data(), particles, heat(), problem.shear,
                                 particles_.capacity(), c);
  const SolveReport report = this->timed(stats_.shear.seconds, [&] {
    return deviatoric_solver_.solve(
        problem, deviatoric_options_, solver_,
        fluid_.system(grid, {&c->n_blocks, blocks}, heat_.compressibility()),
        [&](const SolveReport& inner) { Base::count_solve(inner, this->pressure_stats_); });
  });
  if (report.stopped) return false;
  if (!report.converged && std::isfinite(report.residual)) {
    this->reject_step(report);
    return false;
  }
  Base::count_solve(report, stats_.shear);
  return true;
}

template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::solve_heat(const GridView<Real>& grid,
                                               const MacView<Real>& mac) {
  StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  const HeatView<Real> view = heat();
  settle_cells<Exec, D, Real>(*exec_, this->update_params(), grid, view, blocks, c);
  assemble_heat<Exec, D, Real>(*exec_, this->update_params(), grid, mac, view, blocks, c);
  const SolveReport report = this->timed(stats_.heat.seconds, [&] {
    return heat_solver_.solve(heat_.system(grid, {&c->n_blocks, blocks}), heat_options_, &c->stop);
  });
  if (report.stopped) return;
  if (!report.converged && std::isfinite(report.residual)) return this->reject_step(report);
  Base::count_solve(report, stats_.heat);
  apply_fluxes<Exec, D, Real>(*exec_, mac, view, blocks, c);
  heat_g2p<Exec, D, Real>(*exec_, particles_.view(), grid, view, blocks, c);
}

template <class Exec, int D, class Real>
double ThermalStepper<Exec, D, Real>::elastic_energy() {
  const ChunkSpan present = chunks_of(this->control());
  const auto chunks = particles_.chunks(present);
  const auto ids = particles_.ids(present);
  const auto states = particles_.download(kHeat, present), F = particles_.download(kF, present),
             volume = particles_.download(kVolume, present);
  double sum = 0;
  for (std::uint32_t slot = 0; slot < ids.size(); ++slot) {
    if (slot % kLanes >= chunks[slot / kLanes].count) continue;
    const auto state = [&](int k) { return channel_at(states.data(), slot, kHeatComponents, k); };
    Mat<double, D> deformation;
    for (int i = 0; i < D * D; ++i)
      deformation(i / D, i % D) = static_cast<double>(channel_at(F.data(), slot, D * D, i));
    const std::uint32_t material = chunks[slot / kLanes].material;
    sum += static_cast<double>(volume[slot]) *
           heat_model_.template elastic_energy<D>(
               material, params_.materials[material], ids[slot], {state(0), state(1) > Real(0.5)},
               static_cast<double>(state(kHeatLogVolume)), deformation);
  }
  return sum;
}

template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::before_gather(const MacView<Real>& mac) {
  const StepControl* c = control_.data();
  extrapolate_velocities<Exec, D, Real>(*exec_, layers(), mac,
                                        {{&c->n_blocks, grid_.capacity()}, &c->stop});
}

template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::after_gather() {
  deform_particles<Exec, D, Real>(*exec_, laws_.data(), particles_.view(), heat(), implicit_,
                                  particles_.capacity(), control_.data());
}

template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::poll_own(StepControl& c) {
  if ((c.stop & kStopField) != 0) throw heat_.take_field_fault();
  Base::poll_own(c);
}

}  // namespace firn
