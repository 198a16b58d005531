#pragma once

#include "src/sim/incompressible_stepper.inl"
#include "src/sim/thermal_stepper.h"

namespace firn {

template <class Exec, int D, class Real>
ThermalStepper<Exec, D, Real>::ThermalStepper(const Scene& scene, std::unique_ptr<Exec> exec,
                                              ParticleNamer namer)
    : Base(scene, std::move(exec), std::move(namer)),
      heat_options_{scene.thermal.heat_solve.tolerance, 0,
                    static_cast<std::uint32_t>(scene.thermal.heat_solve.max_iterations)},
      laws_(*exec_, std::span<const MaterialParams<Real>>(params_.materials)),
      heat_(*exec_, scene, heat_model_),
      heat_solver_(*exec_) {
  this->ghost_fluid_ = false;
}

template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::reserve_for_blocks(std::uint32_t blocks) {
  fluid_.reserve(blocks);
  solver_.reserve(blocks, true);
  heat_.reserve(blocks);
  if (heat_model_.solves()) heat_solver_.reserve(blocks, true);
}

// The stress of the first step.
template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::evaluate_initial_state() {
  particles_.clear_spare();
  after_gather();
}

template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::prepare(const GridView<Real>& grid, const MacView<Real>& mac) {
  const StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  const ParticleView<Real> particles = particles_.view();
  Base::prepare(grid, mac);
  heat_.clear(blocks);
  matter_p2g<Exec, D, Real>(*exec_, particles, grid, heat(), heat_.matter(), blocks, c);
  if (heat_model_.solves()) heat_p2g<Exec, D, Real>(*exec_, particles, grid, heat(), blocks, c);
}

template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::complete_system(const MacView<Real>& mac,
                                                    PressureSystem<Real>& system) {
  compress_cells<Exec, D, Real>(*exec_, mac, heat_.matter(), heat_.mass(), grid_.capacity(),
                                control_.data());
  system.mass = heat_.mass();
}

// Temperatures move before the particles do.
template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::before_gather(const GridView<Real>& grid,
                                                  const MacView<Real>& mac) {
  StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  volume_g2p<Exec, D, Real>(*exec_, particles_.view(), grid, mac, heat(), heat_.matter(), blocks,
                            c);
  if (!heat_model_.solves()) return;
  const HeatView<Real> view = heat();
  settle_cells<Exec, D, Real>(*exec_, this->update_params(), grid, mac, view, blocks, c);
  assemble_heat<Exec, D, Real>(*exec_, this->update_params(), grid, mac, view, blocks, c);
  heat_solver_.solve(heat_.system(grid, {&c->n_blocks, blocks}), heat_options_, &c->stop);
  apply_fluxes<Exec, D, Real>(*exec_, grid, mac, view, blocks, c);
  heat_g2p<Exec, D, Real>(*exec_, particles_.view(), grid, view, blocks, c);
}

template <class Exec, int D, class Real>
void ThermalStepper<Exec, D, Real>::after_gather() {
  deform_particles<Exec, D, Real>(*exec_, laws_.data(), particles_.view(), heat(),
                                  particles_.capacity(), control_.data());
}

}  // namespace firn
