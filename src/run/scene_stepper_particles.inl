// Particles of a stepper between two steps: added, taken out, looked at field by field.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "src/run/scene_stepper.h"
#include "src/state/capacity.h"
#include "src/state/particle_removal.h"

namespace firn {

template <class Integrator>
void SceneStepper<Integrator>::append(const ParticleBatch& batch, std::uint32_t first_id) {
  if (batch.position.empty()) return;
  StepControl c = control();
  const auto n = static_cast<std::uint32_t>(batch.position.size());
  const std::uint32_t chunks = (n + kLanes - 1) / kLanes;
  if (c.n_chunks + chunks > context_.particles.capacity()) {
    if (c.step > 0) ++grown_;
    reserve(c, chunks_after_append(c.n_chunks, chunks), context_.grid.capacity());
  }
  const auto& material = context_.params.materials[batch.material];
  context_.particles.append(batch, first_id, chunks_of(c), material);
  const ChunkSpan added{c.first_chunk + c.n_chunks, chunks};
  c.n_chunks += chunks;
  c.n_particles += n;
  if (context_.partition->is_split()) leave_to_others(c, added, n);
  c.n_slots = c.n_chunks * kLanes;
  for (const Vec3& v : batch.velocity)
    c.speed_squared = std::max(c.speed_squared, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  // Until the first constitutive step has seen them, the rest state stands for the new particles.
  MaterialState<Real, D> rest;
  rest.F = Mat<Real, D>::scaled_identity(static_cast<Real>(batch.stretch));
  start_history<Real, D>(material.model, rest.history);
  const Response<Real, D> response = respond(material, rest);
  const double stiffness =
      context_.heat_model.stiffest(batch.material, first_id, n, batch.phase, batch.temperature);
  c.wave_squared[batch.material] =
      std::max(c.wave_squared[batch.material],
               stiffness * static_cast<double>(response.wave_modulus / material.density));
  c.ahead = 0;  // chosen without them
  context_.write(c);
}

// Every partition is given all that is added.
template <class Integrator>
void SceneStepper<Integrator>::leave_to_others(StepControl& c, ChunkSpan added,
                                               std::uint32_t particles) {
  const auto own = particle_exchange().at_home(context_.particles, added);
  own.upload(context_.particles, added.first);
  c.n_chunks = added.first - c.first_chunk + own.chunk_count();
  c.n_particles -= particles - own.size();
}

template <class Integrator>
void SceneStepper<Integrator>::exchange_particles() {
  StepControl c = control();
  const auto present = particle_exchange().after_exchange(context_.particles, chunks_of(c), c);
  if (!present) return;
  const std::uint32_t chunks = present->chunk_count();
  if (chunks > context_.particles.capacity()) {
    ++grown_;
    reserve(c, with_room(chunks), context_.grid.capacity());
  }
  present->upload(context_.particles, c.first_chunk);
  c.n_chunks = chunks;
  c.n_slots = chunks * kLanes;
  c.n_particles = present->size();
  context_.write(c);
}

template <class Integrator>
auto SceneStepper<Integrator>::particle_exchange() -> ParticleExchange<Exec, D, Real> {
  return {*context_.partition, context_.grid.view(), home_shift<Real>(context_.params.transfer)};
}

template <class Integrator>
void SceneStepper<Integrator>::add(const ParticleBatch& batch, std::uint32_t first_id) {
  refuse_between_fused_steps("add_particles");
  const std::uint32_t before = control().n_chunks;
  append(batch, first_id);
  const ChunkSpan added{before, control().n_chunks - before};
  for_each_stage([&](auto& stage) { stage.particles_changed(added); });
}

template <class Integrator>
void SceneStepper<Integrator>::remove(std::span<const std::uint32_t> ids) {
  refuse_between_fused_steps("remove_particles");
  if (context_.partition->is_split())
    throw Error(ErrorCategory::kScene,
                "remove_particles: the domain is split, and the particles may be another's");
  StepControl c = control();
  remove_particles(context_.particles, chunks_of(c), ids);
  c.n_particles -= static_cast<std::uint32_t>(ids.size());
  c.removed += static_cast<std::uint32_t>(ids.size());
  c.placed_chunks = 0;  // the tables of the last layout count them
  context_.write(c);
  for_each_stage([&](auto& stage) { stage.particles_changed({0, c.n_chunks}); });
}

template <class Integrator>
void SceneStepper<Integrator>::refuse_between_fused_steps(const char* what) {
  if (control().carried == 0) return;
  throw Error(
      ErrorCategory::kScene,
      std::string(what) +
          ": the velocities of the particles lie on the grid, as a callback has stopped the "
          "simulation between two fused steps; advance_steps(1) brings them back");
}

template <class Integrator>
auto SceneStepper<Integrator>::particle_fields() -> ParticleFields<Exec, D, Real> {
  const StepControl c = control();
  return {context_.exec, context_.particles, chunks_of(c), c.n_particles};
}
// Throws Error{kScene} where there is no such field, or it lies on the grid.
template <class Integrator>
const ParticleField& SceneStepper<Integrator>::field_at_hand(std::string_view name) {
  const ParticleField& field = particle_fields().find(name);
  if (field.source == ParticleField::kChannel && context_.particles.is_idle(field.channel))
    refuse_between_fused_steps(field.name.name.data());
  return field;
}
template <class Integrator>
FieldView SceneStepper<Integrator>::field_view(std::string_view name) {
  return particle_fields().view(field_at_hand(name));
}
template <class Integrator>
FieldValues SceneStepper<Integrator>::field_values(std::string_view name) {
  return particle_fields().copy(field_at_hand(name));
}

template <class Integrator>
void SceneStepper<Integrator>::set_grid_boundary([[maybe_unused]] GridBoundary boundary,
                                                 [[maybe_unused]] Memory memory) {
  if constexpr (requires { integrator_.boundary; })
    integrator_.boundary.set(std::move(boundary), memory);
  else if (boundary)
    throw Error(
        ErrorCategory::kScene,
        "set_grid_boundary: only for integrator = \"explicit\"; here velocities lie on faces, "
        "and what changes them there would be undone by the projection");
}

}  // namespace firn
