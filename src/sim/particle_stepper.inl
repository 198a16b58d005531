// The loop over steps. See particle_stepper.h; reports and the saved state are in
// particle_stepper_reports.inl.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numeric>

#include "kernels/materials/material.h"
#include "kernels/transfer/tile.h"
#include "src/sim/capacity.h"
#include "src/sim/particle_stepper.h"

namespace firn {

template <class Exec, int D, class Real>
ParticleStepper<Exec, D, Real>::ParticleStepper(const Scene& scene, std::unique_ptr<Exec> exec,
                                                ParticleNamer namer, int grid_components)
    : exec_(std::move(exec)),
      fused_(fuses_steps(scene, Exec::kIsCuda)),
      params_(scene),
      particles_(*exec_, channel_needs(scene, fused_)),
      grid_(*exec_, scene.grid.dx, periodic_blocks<D>(scene), params_.limits.materials,
            grid_components, params_.transfer.separate_force,
            fused_ ? wide_parities(params_.transfer.degree, D) : 0),
      colliders_(*exec_, scene),
      control_(*exec_, 1),
      limits_(*exec_, std::span<const StepLimits>(&params_.limits, 1)),
      column_sums_(*exec_, kTotalsColumns),
      namer_(std::move(namer)),
      replay_(*exec_),
      looks_(*exec_, sizeof(StepControl)) {
  std::vector<int> linear;
  if (channel_needs(scene).coefficient_modes > 0)
    for (int a = 0; a < D; ++a) linear.push_back(linear_mode(params_.transfer.set, D, a));
  particles_.set_linear_modes(linear, scene.grid.dx);
  if (scene.simulation.integrator == Integrator::kThermal) heat_model_ = HeatModel<Real>(scene);
  particles_.set_heat_model(heat_model_);
  StepControl c{};
  c.fault = ~std::uint64_t{0};
  write_control(c);
}

// --- particles in ---

template <class Exec, int D, class Real>
void ParticleStepper<Exec, D, Real>::append(const ParticleBatch& batch, std::uint32_t first_id) {
  if (batch.position.empty()) return;
  StepControl c = control();
  const auto n = static_cast<std::uint32_t>(batch.position.size());
  const std::uint32_t chunks = (n + kLanes - 1) / kLanes;
  if (c.n_chunks + chunks > particles_.capacity()) {
    if (c.step > 0) ++grown_;
    reserve(c, chunks_after_append(c.n_chunks, chunks), grid_.capacity());
  }
  const auto& material = params_.materials[batch.material];
  particles_.append(batch, first_id, chunks_of(c), material);
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
  const double stiffness =
      heat_model_.stiffest(batch.material, first_id, n, batch.phase, batch.temperature);
  c.wave_squared[batch.material] =
      std::max(c.wave_squared[batch.material],
               stiffness * static_cast<double>(response.wave_modulus / material.density));
  c.ahead = 0;  // chosen without them
  write_control(c);
}

template <class Exec, int D, class Real>
void ParticleStepper<Exec, D, Real>::initialize() {
  StepControl c = control();
  // The first layout finds out what the scene needs; growing counts from here on.
  reserve(c, std::max(c.n_chunks, 1u), initial_blocks(c.n_particles));
  write_control(c);
  do {
    rebuild();
    exec_->synchronize();
    c = control();
    poll(c);
  } while ((c.stop & kStopOverflow) != 0);
  c.grid_saved = 0;  // no step has followed the layout
  write_control(c);
  grown_ = 0;
  evaluate_initial_state();
  exec_->synchronize();
  c = control();
  if (c.fault != ~std::uint64_t{0}) poll(c);
}

template <class Exec, int D, class Real>
void ParticleStepper<Exec, D, Real>::reserve(StepControl& c, std::uint32_t chunks,
                                             std::uint32_t blocks) {
  step_changed();
  particles_.reserve(chunks, c.first_chunk);
  reserve_for_chunks(particles_.capacity());
  if (blocks <= grid_.capacity()) return;
  grid_.reserve(blocks);
  colliders_.reserve(blocks);
  reserve_for_blocks(grid_.capacity());
}

// --- stepping ---

template <class Exec, int D, class Real>
void ParticleStepper<Exec, D, Real>::rebuild() {
  RebuildView scratch;
  particles_.fill(scratch);
  grid_.fill(scratch);
  open_step(*exec_, params_.dx, control_.data());
  StepControl* c = control_.data();
  run_unless(*exec_, &c->skip_layout, [&] { find_layout(scratch); });
  // Beside the other, not in it: between fused steps it is left out.
  run_unless(*exec_, &c->skip_permute, [&] { particles_.permute_in_place(scratch, c); });
}

template <class Exec, int D, class Real>
void ParticleStepper<Exec, D, Real>::find_layout(const RebuildView& scratch) {
  if (fused_) save_nodes(*exec_, grid_.view(), grid_.capacity(), control_.data());
  rebuild_layout<Exec, D, Real>(*exec_, home_shift<Real>(params_.transfer), colliders_.sinks(),
                                particles_.view(), grid_.view(), scratch, control_.data());
  particles_.change_bank(scratch, control_.data());
}

// A kick of the particles before P2G is the same impulse on the nodes as a body force in the grid
// update.
template <class Exec, int D, class Real>
void ParticleStepper<Exec, D, Real>::apply_body_force() {
  const StepControl c = control();
  if (c.stop != 0) return;
  const ChunkSpan present = chunks_of(c);
  const auto ids = particles_.ids(present);
  const auto chunks = particles_.chunks(present);
  auto v = particles_.download(kV, present);
  for (std::uint32_t slot = 0; slot < ids.size(); ++slot) {
    if (slot % kLanes >= chunks[slot / kLanes].count) continue;
    const Vec3 force = body_force_(ids[slot], c.time);
    for (int a = 0; a < D; ++a)
      channel_at(v.data(), slot, D, a) +=
          static_cast<Real>(c.dt * force[static_cast<std::size_t>(a)]);
  }
  particles_.upload_raw(kV, present, v);
}

template <class Exec, int D, class Real>
void ParticleStepper<Exec, D, Real>::measure_particles(const std::uint32_t* stop) {
  const std::uint32_t bound = particles_.capacity();
  if (totals_table_.size() < std::size_t{bound} * kTotalsColumns) {
    totals_table_ = {};
    totals_table_ = Buffer<Exec, double>(*exec_, std::size_t{bound} * kTotalsColumns);
    step_changed();
  }
  column_sums_.zero();
  particle_totals<Exec, D, Real>(*exec_, params_.transfer, particles_.view(),
                                 static_cast<Real>(1 / params_.dx), bound, totals_table_.data(),
                                 control_.data());
  add_columns(*exec_, totals_table_.data(), {&control_.data()->n_chunks, bound}, kTotalsColumns,
              column_sums_.data(), stop);
}

template <class Exec, int D, class Real>
bool ParticleStepper<Exec, D, Real>::run_until(double target, const StepWatch& watch) {
  const StepControl c = control();
  if (c.time >= target) return true;
  const auto left = [](const StepControl& now) {
    return now.dt > 0 ? std::ceil((now.target - now.time) / now.dt) : kPace.steps_per_look;
  };
  const auto done = [](const StepControl& now) { return (now.stop & kStopTarget) != 0; };
  return run(aim(c, target, 0), {done, left}, watch);
}

template <class Exec, int D, class Real>
bool ParticleStepper<Exec, D, Real>::run_steps(std::int64_t steps, double latest,
                                               const StepWatch& watch) {
  const StepControl c = control();
  const std::uint64_t end = c.step + static_cast<std::uint64_t>(steps);
  return run(
      aim(c, latest, end),
      {[end](const StepControl& now) { return now.step >= end || (now.stop & kStopTarget) != 0; },
       [end](const StepControl& now) { return static_cast<double>(end - now.step); }},
      watch);
}

template <class Exec, int D, class Real>
StepControl ParticleStepper<Exec, D, Real>::aim(StepControl c, double target,
                                                std::uint64_t last_step) {
  c.target = target;
  c.last_step = last_step;
  c.stop &= ~kStopTarget;
  write_control(c);
  return c;
}

template <class Exec, int D, class Real>
bool ParticleStepper<Exec, D, Real>::run(const StepControl& c, const RunGoal& goal,
                                         const StepWatch& watch) {
  struct Queue {
    ParticleStepper& stepper;
    const StepWatch& watch;
    std::uint64_t told;  // the last step that was
    void enqueue(int n) { stepper.enqueue_steps(n); }
    int pending() const { return stepper.looks_.pending(); }
    StepControl look() {
      StepControl seen;
      std::memcpy(&seen, stepper.looks_.wait(), sizeof seen);
      return seen;
    }
    void forget() { stepper.looks_.forget(); }
    void act(StepControl& seen) {
      stepper.poll(seen);
      if (!watch.after_step || seen.step == told) return;
      told = seen.step;
      watch.after_step(seen);
    }
  };
  const RunPace& pace = watch.after_step ? kStepByStep : needs_no_host() ? kPace : kPaceWithHost;
  return run_ahead(Queue{*this, watch, c.step}, c, goal, pace, watch.interrupted);
}

template <class Exec, int D, class Real>
void ParticleStepper<Exec, D, Real>::enqueue_steps(int n) {
  const auto start = std::chrono::steady_clock::now();
  const bool replaying = replays();
  for (int i = 0; i < n; ++i) {
    if (!replaying)
      enqueue_step();
    else if (replay_.run(step_version_, [this] { enqueue_step(); }))
      ++enqueued_.replayed;
  }
  looks_.start(control_.data());
  if (!needs_no_host()) return;
  enqueued_.steps += n;
  enqueued_.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Acts on what the last steps reported: grows what overflowed, throws where they diverged.
template <class Exec, int D, class Real>
void ParticleStepper<Exec, D, Real>::poll(StepControl& c) {
  poll_own(c);
  if ((c.stop & kStopDiverged) != 0 || c.fault != ~std::uint64_t{0}) throw_fault(c);
  if ((c.stop & kStopOverflow) != 0) grow(c);
}

template <class Exec, int D, class Real>
void ParticleStepper<Exec, D, Real>::throw_fault(const StepControl& c) const {
  FaultyParticle particle{static_cast<std::uint32_t>(c.fault & 0xffffffffu), D, {}, {}, {}};
  const ChunkSpan present = chunks_of(c);
  const auto ids = particles_.ids(present);
  const auto chunks = particles_.chunks(present);
  for (std::uint32_t slot = 0; slot < ids.size(); ++slot) {
    const Chunk& chunk = chunks[slot / kLanes];
    if (ids[slot] != particle.id || slot % kLanes >= chunk.count) continue;
    const auto vector = [&](ParticleChannel channel) {
      auto values = particles_.download(channel, present);
      std::array<double, 3> v{};
      for (int a = 0; a < D; ++a)
        v[static_cast<std::size_t>(a)] = channel_at(values.data(), slot, D, a);
      return v;
    };
    particle.position = vector(kX);
    // Between fused steps velocities lie on the grid.
    if (c.carried == 0 || !particles_.is_idle(kV)) particle.velocity = vector(kV);
    particle.material = params_.material_names[chunk.material];
  }
  throw diverged_error(c, particle, namer_, params_.material_names[c.limit_material],
                       params_.limits.dt_min);
}

template <class Exec, int D, class Real>
void ParticleStepper<Exec, D, Real>::grow(const StepControl& c) {
  std::uint32_t chunks = particles_.capacity(), blocks = grid_.capacity();
  if (c.needed_chunks > chunks) chunks = with_room(c.needed_chunks);
  if (c.needed_blocks > blocks) blocks = with_room(c.needed_blocks);
  // A hash that filled up before the blocks could be counted.
  if (chunks == particles_.capacity() && blocks == grid_.capacity()) blocks *= 2;
  StepControl cleared = c;
  reserve(cleared, chunks, blocks);
  ++grown_;
  cleared.stop &= ~kStopOverflow;
  cleared.needed_chunks = cleared.needed_blocks = 0;
  write_control(cleared);
}

}  // namespace firn

#include "src/sim/particle_stepper_reports.inl"
