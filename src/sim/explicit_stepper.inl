#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "src/sim/capacity.h"
#include "src/sim/explicit_stepper.h"

namespace firn {

template <class Exec, int D, class Real>
ExplicitStepper<Exec, D, Real>::ExplicitStepper(const Scene& scene, std::unique_ptr<Exec> exec,
                                                ParticleNamer namer)
    : exec_(std::move(exec)),
      namer_(std::move(namer)),
      params_(scene),
      particles_(*exec_, channel_needs(scene)),
      grid_(*exec_, scene.grid.dx, params_.limits.materials, params_.transfer.separate_force),
      colliders_(*exec_, scene),
      control_(*exec_, 1),
      limits_(*exec_, std::span<const StepLimits>(&params_.limits, 1)),
      materials_(*exec_, std::span<const MaterialParams<Real>>(params_.materials)),
      stage_sums_(*exec_, kStageSums),
      column_sums_(*exec_, kTotalsColumns),
      pack_sums_(*exec_, static_cast<std::size_t>(packs_per_chunk<Exec, Real>())) {
  std::vector<int> linear;
  if (channel_needs(scene).coefficient_modes > 0)
    for (int a = 0; a < D; ++a) linear.push_back(linear_mode(params_.transfer.set, D, a));
  particles_.set_linear_modes(linear, scene.grid.dx);
  StepControl c{};
  c.fault = ~std::uint64_t{0};
  write_control(c);
  stage_sums_.zero();
}

// --- particles in ---

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::append(const ParticleBatch& batch, std::uint32_t first_id) {
  if (batch.position.empty()) return;
  StepControl c = control();
  const auto n = static_cast<std::uint32_t>(batch.position.size());
  const std::uint32_t chunks = (n + kLanes - 1) / kLanes;
  if (c.n_chunks + chunks > particles_.capacity()) {
    if (c.step > 0) ++grown_;
    reserve(chunks_after_append(c.n_chunks, chunks), grid_.capacity());
  }
  const auto& material = params_.materials[batch.material];
  particles_.append(batch, first_id, c.n_chunks, material);
  c.n_chunks += chunks;
  c.n_slots = c.n_chunks * kLanes;
  c.n_particles += n;
  for (const Vec3& v : batch.velocity)
    c.speed_squared = std::max(c.speed_squared, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  // Until the first constitutive step has seen them, the rest state stands for the new particles.
  MaterialState<Real, D> rest;
  rest.F = Mat<Real, D>::scaled_identity(static_cast<Real>(batch.stretch));
  initial_plastic_state<Real, D>(material, rest.plastic);
  const Response<Real, D> response = respond(material, rest);
  c.wave_squared[batch.material] =
      std::max(c.wave_squared[batch.material],
               static_cast<double>(response.wave_modulus / material.density));
  write_control(c);
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::initialize() {
  StepControl c = control();
  // The first layout finds out what the scene needs; growing counts from here on.
  reserve(std::max(c.n_chunks, 1u), initial_blocks(c.n_particles));
  do {
    rebuild();
    exec_->synchronize();
    c = control();
    poll(c);
  } while ((c.stop & kStopOverflow) != 0);
  grown_ = 0;
  constitutive_step<Exec, D, Real>(*exec_, materials_.data(), particles_.view(),
                                   {elastic_.data(), nullptr}, particles_.capacity(),
                                   control_.data());
  exec_->synchronize();
  c = control();
  if (c.fault != ~std::uint64_t{0}) poll(c);
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::reserve(std::uint32_t chunks, std::uint32_t blocks) {
  particles_.reserve(chunks);
  if (params_.totals &&
      elastic_.size() < std::size_t{particles_.capacity()} * packs_per_chunk<Exec, Real>()) {
    const std::size_t packs = std::size_t{particles_.capacity()} * packs_per_chunk<Exec, Real>();
    elastic_ = {};
    elastic_ = Buffer<Exec, double>(*exec_, packs);
    elastic_.zero();
    if (params_.stages) trial_ = Buffer<Exec, double>(*exec_, packs);
  }
  if (blocks <= grid_.capacity()) return;
  grid_.reserve(blocks);
  colliders_.reserve(blocks);
  if (params_.stages)
    stage_energies_ = Buffer<Exec, double>(*exec_, std::size_t{blocks} * kStageColumns);
}

// --- stepping ---

template <class Exec, int D, class Real>
RebuildView ExplicitStepper<Exec, D, Real>::rebuild_view() {
  RebuildView scratch;
  particles_.fill(scratch);
  grid_.fill(scratch);
  return scratch;
}

template <class Exec, int D, class Real>
GridUpdateParams<Real, D> ExplicitStepper<Exec, D, Real>::update_params() {
  GridUpdateParams<Real, D> update = params_.update;
  colliders_.fill(update);
  update.stage_energies = params_.stages ? stage_energies_.data() : nullptr;
  return update;
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::rebuild() {
  const RebuildView scratch = rebuild_view();
  rebuild_layout<Exec, D, Real>(*exec_, home_shift<Real>(params_.transfer), colliders_.sinks(),
                                particles_.view(), grid_.view(), scratch, control_.data());
  particles_.permute(scratch, control_.data());
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::enqueue_step() {
  StepControl* c = control_.data();
  const std::uint32_t blocks = grid_.capacity();
  exec_->mark(-1);
  rebuild();
  begin_step(*exec_, limits_.data(), c);
  exec_->mark(kClockRebuild);
  if (body_force_) apply_body_force();
  if (params_.stages) measure_particles(kParticlesBefore);

  const ParticleView<Real> particles = particles_.view();
  const GridView<Real> grid = grid_.view();
  clear_nodes(*exec_, grid.nodes, blocks, c);
  if (params_.transfer.separate_force) clear_nodes(*exec_, grid.increments, blocks, c);
  p2g<Exec, D, Real>(*exec_, params_.transfer, particles, grid, c, blocks);
  exec_->mark(kClockP2G);
  grid_update<Exec, D, Real>(*exec_, update_params(), grid, blocks, c);
  colliders_.accumulate(blocks, c);
  if (params_.stages)
    add_columns(*exec_, stage_energies_.data(), {&c->n_blocks, blocks}, kStageColumns,
                stage_sums_.data() + kAfterP2G, &c->stop);
  exec_->mark(kClockGrid);
  g2p<Exec, D, Real>(*exec_, params_.transfer, params_.bounds, particles, grid, c, blocks);
  guard_particles<Exec, D, Real>(*exec_, update_params(), particles, grid, blocks, c);
  exec_->mark(kClockG2P);

  EnergyView energies{params_.totals ? elastic_.data() : nullptr,
                      params_.stages ? trial_.data() : nullptr};
  constitutive_step<Exec, D, Real>(*exec_, materials_.data(), particles, energies,
                                   particles_.capacity(), c);
  exec_->mark(kClockConstitutive);
  if (params_.stages) measure_particles(kParticlesAfter);
  end_step(*exec_, c);
  exec_->mark(kClockOther);
}

// A kick of the particles before P2G is the same impulse on the nodes as a body force in the grid
// update.
template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::apply_body_force() {
  using Store = ParticleStore<Exec, D, Real>;
  const StepControl c = control();
  if (c.stop != 0) return;
  const auto ids = particles_.ids(c.n_chunks);
  const auto chunks = particles_.chunks(c.n_chunks);
  auto v = particles_.download(Store::kV, c.n_chunks);
  for (std::uint32_t slot = 0; slot < ids.size(); ++slot) {
    if (slot % kLanes >= chunks[slot / kLanes].count) continue;
    const Vec3 force = body_force_(ids[slot], c.time);
    for (int a = 0; a < D; ++a)
      channel_at(v.data(), slot, D, a) +=
          static_cast<Real>(c.dt * force[static_cast<std::size_t>(a)]);
  }
  particles_.upload_raw(Store::kV, v);
}

// Adds the particles' kinetic energy (and after a step their elastic energies) to the sums of the
// frame.
template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::measure_particles(StageSum target) {
  StepControl* c = control_.data();
  const DeviceCount chunks{&c->n_chunks, particles_.capacity()};
  if (totals_table_.size() < std::size_t{particles_.capacity()} * kTotalsColumns) {
    totals_table_ = {};
    totals_table_ =
        Buffer<Exec, double>(*exec_, std::size_t{particles_.capacity()} * kTotalsColumns);
  }
  column_sums_.zero();
  particle_totals<Exec, D, Real>(*exec_, params_.transfer, particles_.view(),
                                 static_cast<Real>(1 / params_.dx), particles_.capacity(),
                                 totals_table_.data(), c);
  add_columns(*exec_, totals_table_.data(), chunks, kTotalsColumns, column_sums_.data(), &c->stop);
  add_columns(*exec_, column_sums_.data() + kTotalKinetic, {nullptr, 1}, 1,
              stage_sums_.data() + target, &c->stop);
  if (target != kParticlesAfter) return;
  add_elastic(trial_, kElasticTrial);
  add_elastic(elastic_, kElasticAfter);
}

// Adds the energies of the current layout's packs to a sum of the frame.
template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::add_elastic(const Buffer<Exec, double>& packs,
                                                 StageSum target) {
  StepControl* c = control_.data();
  const int columns = packs_per_chunk<Exec, Real>();
  pack_sums_.zero();
  add_columns(*exec_, packs.data(), {&c->n_chunks, particles_.capacity()}, columns,
              pack_sums_.data(), &c->stop);
  add_columns(*exec_, pack_sums_.data(), {nullptr, static_cast<std::uint32_t>(columns)}, 1,
              stage_sums_.data() + target, &c->stop);
}

template <class Exec, int D, class Real>
bool ExplicitStepper<Exec, D, Real>::run_until(double target,
                                               const std::function<bool()>& interrupted) {
  constexpr int kStepsPerPoll = Exec::kIsCuda ? 8 : 1;
  StepControl c = control();
  if (c.time >= target) return true;
  c.target = target;
  c.stop &= ~kStopTarget;
  write_control(c);
  while (true) {
    if (interrupted && interrupted()) return false;
    for (int i = 0; i < kStepsPerPoll; ++i) enqueue_step();
    c = control();
    poll(c);
    if ((c.stop & kStopTarget) != 0) return true;
  }
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::run_steps(std::int64_t steps) {
  StepControl c = control();
  c.target = std::numeric_limits<double>::infinity();
  c.stop &= ~kStopTarget;
  write_control(c);
  const std::uint64_t end = c.step + static_cast<std::uint64_t>(steps);
  while (c.step < end) {
    const std::uint64_t batch = std::min<std::uint64_t>(end - c.step, Exec::kIsCuda ? 64 : 1);
    for (std::uint64_t i = 0; i < batch; ++i) enqueue_step();
    c = control();
    poll(c);
  }
}

// Acts on what the last steps reported: grows what overflowed, throws where they diverged.
template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::poll(StepControl& c) {
  if ((c.stop & kStopDiverged) != 0 || c.fault != ~std::uint64_t{0}) {
    FaultyParticle particle{static_cast<std::uint32_t>(c.fault & 0xffffffffu), "an unknown place",
                            "unknown"};
    const auto ids = particles_.ids(c.n_chunks);
    const auto chunks = particles_.chunks(c.n_chunks);
    for (std::uint32_t slot = 0; slot < ids.size(); ++slot) {
      if (ids[slot] != particle.id || slot % kLanes >= chunks[slot / kLanes].count) continue;
      auto x = particles_.download(ParticleStore<Exec, D, Real>::kX, c.n_chunks);
      auto v = particles_.download(ParticleStore<Exec, D, Real>::kV, c.n_chunks);
      double position[3], velocity[3];
      for (int a = 0; a < D; ++a) {
        position[a] = channel_at(x.data(), slot, D, a);
        velocity[a] = channel_at(v.data(), slot, D, a);
      }
      particle.position = format_vector(position, D);
      particle.velocity = format_vector(velocity, D);
    }
    throw diverged_error(c, particle, namer_, params_.material_names[c.limit_material],
                         params_.limits.dt_min);
  }
  if ((c.stop & kStopOverflow) != 0) grow(c);
}

template <class Exec, int D, class Real>
void ExplicitStepper<Exec, D, Real>::grow(const StepControl& c) {
  std::uint32_t chunks = particles_.capacity(), blocks = grid_.capacity();
  if (c.needed_chunks > chunks) chunks = with_room(c.needed_chunks);
  if (c.needed_blocks > blocks) blocks = with_room(c.needed_blocks);
  // A hash that filled up before the blocks could be counted.
  if (chunks == particles_.capacity() && blocks == grid_.capacity()) blocks *= 2;
  reserve(chunks, blocks);
  ++grown_;
  StepControl cleared = c;
  cleared.stop &= ~kStopOverflow;
  cleared.needed_chunks = cleared.needed_blocks = 0;
  write_control(cleared);
}

}  // namespace firn

#include "src/sim/explicit_stepper_reports.inl"
