#pragma once

#include <chrono>
#include <cmath>

#include "src/sim/incompressible_stepper.h"
#include "src/sim/particle_stepper.inl"

namespace firn {

inline bool has_separating_walls(const Scene& scene) {
  bool found = false;
  if (scene.grid.domain)
    for (BoundaryType type : scene.grid.domain->boundary) found |= type == BoundaryType::kSeparate;
  for (const Collider& c : scene.colliders) found |= c.boundary == BoundaryType::kSeparate;
  return found;
}

// m^d/kg, or 0 if there are several.
inline double common_specific_volume(const Scene& scene) {
  const double density = scene.materials.front().density;
  bool one = true;
  for (const Material& m : scene.materials) one &= m.density == density;
  for (const Body& b : scene.bodies) one &= b.density_scale == 1;
  return one ? 1 / density : 0;
}

template <class Exec, int D, class Real>
IncompressibleStepper<Exec, D, Real>::IncompressibleStepper(const Scene& scene,
                                                            std::unique_ptr<Exec> exec,
                                                            ParticleNamer namer)
    : Base(scene, std::move(exec), std::move(namer), D),
      fluid_(*exec_),
      solver_(*exec_),
      ghost_fluid_(scene.fluid.free_surface == FreeSurface::kGhostFluid),
      specific_volume_(static_cast<Real>(common_specific_volume(scene))),
      options_{scene.fluid.tolerance, scene.fluid.absolute_tolerance,
               static_cast<std::uint32_t>(scene.fluid.max_iterations)},
      separating_(has_separating_walls(scene)),
      changed_(*exec_, 1),
      tracers_(*exec_, scene) {}

template <class Exec, int D, class Real>
void IncompressibleStepper<Exec, D, Real>::reserve_for_blocks(std::uint32_t blocks) {
  fluid_.reserve(blocks);
  solver_.reserve(blocks, false);
}

template <class Exec, int D, class Real>
GridUpdateParams<Real, D> IncompressibleStepper<Exec, D, Real>::update_params() {
  GridUpdateParams<Real, D> update = params_.update;
  colliders_.fill(update);
  return update;
}

// Faces that a stencil reads lie at most this many steps from one of a fluid cell: one along the
// face's own axis beyond the linear kernel, and the reach of the kernel along the others; from a
// valid one they lie one further where bodies slip.
template <class Exec, int D, class Real>
int IncompressibleStepper<Exec, D, Real>::extrapolated_layers() const {
  const int degree = params_.transfer.degree;
  const int along = degree == 1 ? 0 : 1, across = degree == 3 ? 2 : 1;
  return along + across * (D - 1) + (colliders_.count() > 0 ? 1 : 0);
}

template <class Exec, int D, class Real>
void IncompressibleStepper<Exec, D, Real>::enqueue_step() {
  StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  exec_->mark(-1);
  this->rebuild();
  begin_step(*exec_, this->limits_.data(), StepPlan::kFresh, c);
  exec_->mark(kClockRebuild);
  if (this->body_force_) this->apply_body_force();

  const ParticleView<Real> particles = particles_.view();
  const GridView<Real> grid = grid_.view();
  MacView<Real> mac = fluid_.view(grid.nodes);
  mac.ghost_fluid = ghost_fluid_;
  mac.specific_volume = specific_volume_;
  mac.elastic_fraction = elastic_fraction();
  mac.whole_cells = whole_cells_;
  clear_nodes(*exec_, grid.nodes, D, blocks, c);
  mac_p2g<Exec, D, Real>(*exec_, params_.transfer, particles, grid, grid.nodes, c, blocks);
  exec_->mark(kClockP2G);
  classify_cells<Exec, D, Real>(*exec_, particles, grid, mac, blocks, c);
  prepare(grid, mac);
  // A face of a fluid cell may have no mass: its particles lie on the other faces, or it is cut.
  extrapolate_faces<Exec, D, Real>(*exec_, colliders_.count() > 0 ? D : 1, mac, blocks, c);
  project(grid, mac);
  pressure_reactions<Exec, D, Real>(*exec_, update_params(), grid, mac, blocks, c);
  after_projection(grid, mac);
  colliders_.accumulate(blocks, c);
  correct_density(grid, mac);
  extrapolate_faces<Exec, D, Real>(*exec_, extrapolated_layers(), mac, blocks, c);
  constrain_faces<Exec, D, Real>(*exec_, update_params(), grid, mac, blocks, c);
  complete_faces<Exec, D, Real>(*exec_, mac, blocks, c);
  before_gather(mac);
  exec_->mark(kClockGrid);
  mac_g2p<Exec, D, Real>(*exec_, params_.transfer, params_.bounds, particles, grid, grid.nodes, c,
                         blocks);
  guard_particles<Exec, D, Real>(*exec_, update_params(), particles, grid, blocks, c);
  after_gather();
  tracers_.advance(params_.bounds, grid, after_layers(extrapolated_layers(), mac), c);
  exec_->mark(kClockG2P);
  end_step(*exec_, c);
  exec_->mark(kClockOther);
}

template <class Exec, int D, class Real>
void IncompressibleStepper<Exec, D, Real>::prepare(const GridView<Real>& grid,
                                                   const MacView<Real>& mac) {
  const StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  prepare_faces<Exec, D, Real>(*exec_, FacePass::kBoth, update_params(), grid, mac, blocks, c);
  find_fluid(grid, mac);
}

// The cells that the pressure is solved in.
template <class Exec, int D, class Real>
void IncompressibleStepper<Exec, D, Real>::find_fluid(const GridView<Real>& grid,
                                                      const MacView<Real>& mac) {
  const StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  const bool fill = ghost_fluid_ || params_.transfer.drift;
  if (fill) fill_cells<Exec, D, Real>(*exec_, particles_.view(), grid, mac, blocks, c);
  flood_cells<Exec, D, Real>(*exec_, update_params(), fill, grid, mac, blocks, c);
}

template <class Exec, int D, class Real>
void IncompressibleStepper<Exec, D, Real>::project(const GridView<Real>& grid,
                                                   const MacView<Real>& mac) {
  const StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  walls_opened_ = false;
  if (!solve_pressure(grid, mac, separating_ ? kMaxWallPasses : 0)) return;
  apply_pressure<Exec, D, Real>(*exec_, grid, mac, blocks, c);
  if (!couple_forces(grid, mac)) return;
  retries_ = 0;
  if (colliders_.count() > 0)
    release_sliding_faces<Exec, D, Real>(*exec_, update_params(), grid, mac, blocks, c);
}

// False if there is none: the step is over.
template <class Exec, int D, class Real>
bool IncompressibleStepper<Exec, D, Real>::solve_pressure(const GridView<Real>& grid,
                                                          const MacView<Real>& mac,
                                                          int wall_passes) {
  StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  SolveReport report;
  fluid_.clear_pressure();
  for (int pass = 0;; ++pass) {
    assemble_projection<Exec, D, Real>(*exec_, grid, mac, blocks, c);
    complete_system(mac);
    const EllipticSystem<Real> system =
        fluid_.system(grid, {&c->n_blocks, blocks}, compressibility());
    report =
        timed(pressure_stats_.seconds, [&] { return solver_.solve(system, options_, &c->stop); });
    if (report.stopped) return false;
    // What is not finite has no shorter step; the transfer names the particle that brought it.
    if (!report.converged && std::isfinite(report.residual)) {
      reject_step(report);
      return false;
    }
    count_projection(report);
    if (pass == wall_passes || !walls_switch(grid, mac)) return true;
  }
}

template <class Exec, int D, class Real>
bool IncompressibleStepper<Exec, D, Real>::walls_switch(const GridView<Real>& grid,
                                                        const MacView<Real>& mac) {
  changed_.zero();
  switch_walls<Exec, D, Real>(*exec_, grid, mac, changed_.data(), grid_.capacity(),
                              control_.data());
  const bool changed = changed_.first() != 0;
  walls_opened_ |= changed;
  return changed;
}

// The host waits for a solve; before it, for what the step has enqueued so far, which is not its
// time.
template <class Exec, int D, class Real>
template <class Solve>
SolveReport IncompressibleStepper<Exec, D, Real>::timed(double& seconds, Solve&& solve) {
  exec_->synchronize();
  const auto start = std::chrono::steady_clock::now();
  const SolveReport report = solve();
  seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

template <class Exec, int D, class Real>
void IncompressibleStepper<Exec, D, Real>::count_solve(const SolveReport& report,
                                                       SolverStats& stats) {
  ++stats.solves;
  stats.iterations += report.iterations;
  stats.max_iterations = std::max(stats.max_iterations, std::int64_t{report.iterations});
}

template <class Exec, int D, class Real>
void IncompressibleStepper<Exec, D, Real>::count_projection(const SolveReport& report) {
  PressureStats& s = pressure_stats_;
  count_solve(report, s);
  s.max_divergence = std::max(s.max_divergence, report.residual);
  s.sealed_regions = report.singular_components;
}

// A drift that is not found is no reason to reject a step: the particles only stay where they are.
template <class Exec, int D, class Real>
void IncompressibleStepper<Exec, D, Real>::correct_density(const GridView<Real>& grid,
                                                           const MacView<Real>& mac) {
  StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  bool found = false;
  if (params_.transfer.drift) {
    if (walls_opened_) {
      close_walls<Exec, D, Real>(*exec_, mac, blocks, c);
      assemble_projection<Exec, D, Real>(*exec_, grid, mac, blocks, c);
    }
    assemble_drift<Exec, D, Real>(*exec_, mac, blocks, c);
    fluid_.clear_pressure();
    SolveOptions loose = options_;
    loose.relative = std::max(loose.relative, kDriftTolerance);
    const auto system = fluid_.system(grid, {&c->n_blocks, blocks}, compressibility());
    const SolveReport report = timed(pressure_stats_.drift_seconds, [&] {
      return walls_opened_ ? solver_.solve(system, loose, &c->stop)
                           : solver_.solve_again(system, loose, &c->stop);
    });
    found = report.converged;
    if (report.imbalance > 0) refuse_squeezed(report.imbalance);
    pressure_stats_.drift_iterations += report.iterations;
  }
  apply_drift<Exec, D, Real>(*exec_, found, grid, mac, blocks, c);
}

// A region without air that holds more than fits can neither move apart nor be made to: a source or
// a body forces liquid into it.
template <class Exec, int D, class Real>
void IncompressibleStepper<Exec, D, Real>::refuse_squeezed(double rate) {
  const StepControl c = this->control();
  const double excess = rate * c.dt;
  if (excess > kLargestSqueeze) throw squeezed_error(c, excess);
}

// The rest of the step does nothing; poll_own makes it run again.
template <class Exec, int D, class Real>
void IncompressibleStepper<Exec, D, Real>::reject_step(const SolveReport& report) {
  rejected_ = report;
  StepControl c = this->control();
  c.stop |= kStopUnsolved;
  this->write_control(c);
}

template <class Exec, int D, class Real>
void IncompressibleStepper<Exec, D, Real>::poll_own(StepControl& c) {
  if ((c.stop & kStopUnsolved) == 0) return;
  if (++retries_ > kMaxRetries)
    throw unsolved_error(c, rejected_.residual, rejected_.tolerance, rejected_.iterations);
  c.stop &= ~kStopUnsolved;
  c.retry_dt = 0.5 * c.dt;
  c.dt = c.previous_dt;  // of the last step that was made
  this->write_control(c);
}

}  // namespace firn
