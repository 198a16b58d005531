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
  const double stiffness =
      context_.heat_model.stiffest(batch.material, first_id, n, batch.phase, batch.temperature);
  c.wave_squared[batch.material] = std::max(
      c.wave_squared[batch.material], stiffness * wave_squared_at_rest<D>(material, batch.stretch));
  const double density = relative_density(batch, static_cast<double>(material.density));
  double& lightest = c.lightest[batch.material];
  lightest = lightest > 0 ? std::min(lightest, density) : density;
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
  if (c.stop != 0) return;  // on all of them
  c.placed_chunks = std::max(c.placed_chunks, std::exchange(loaded_chunks_, 0));
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

// Which chunks may have particles in the box: those placed by the last layout are in their block
// or, as a step later, next to it.
template <class Integrator>
std::vector<bool> SceneStepper<Integrator>::chunks_near(const std::vector<Chunk>& chunks,
                                                        const StepControl& c, const Vec3& min,
                                                        const Vec3& max) {
  std::vector<bool> near(chunks.size(), true);
  const PeriodicBlocks& ring = context_.grid.periodic();
  if (std::any_of(ring.count, ring.count + D, [](int n) { return n > 0; })) return near;
  const std::vector<std::uint64_t> keys = context_.grid.keys(c.n_blocks);
  const double side = context_.params.dx * BlockTraits<D>::kSide;
  for (std::size_t i = 0; i < c.placed_chunks && i < chunks.size(); ++i) {
    const Vec<int, D> block = block_of_key<D>(keys[chunks[i].block]);
    for (int a = 0; a < D; ++a)
      near[i] = near[i] && (block[a] + 2) * side >= min[static_cast<std::size_t>(a)] &&
                (block[a] - 1) * side <= max[static_cast<std::size_t>(a)];
  }
  return near;
}

template <class Integrator>
std::vector<PresentParticle> SceneStepper<Integrator>::particles_within(const Vec3& min,
                                                                        const Vec3& max) {
  const StepControl c = control();
  const ChunkSpan present = chunks_of(c);
  const ParticleStore<Exec, D, Real>& store = context_.particles;
  const auto chunks = store.chunks(present);
  const std::vector<bool> near = chunks_near(chunks, c, min, max);
  const PeriodicBlocks& ring = context_.grid.periodic();
  std::vector<PresentParticle> found;
  const auto look_at = [&](ChunkSpan run) {
    const auto ids = store.ids(run);
    const auto x = store.download(kX, run), volume = store.download(kVolume, run);
    for (std::uint32_t slot = 0; slot < run.count * kLanes; ++slot) {
      if (slot % kLanes >= chunks[run.first - present.first + slot / kLanes].count) continue;
      PresentParticle p{ids[slot], static_cast<double>(volume[slot]), {}};
      bool inside = true;
      for (int a = 0; a < D; ++a) {
        const auto i = static_cast<std::size_t>(a);
        const double length = ring.count[a] * context_.params.dx * BlockTraits<D>::kSide;
        p.position[i] = static_cast<double>(channel_at(x.data(), slot, D, a));
        if (length > 0)
          p.position[i] -= length * std::round((p.position[i] - 0.5 * (min[i] + max[i])) / length);
        inside = inside && p.position[i] >= min[i] && p.position[i] <= max[i];
      }
      if (inside) found.push_back(p);
    }
  };
  for (std::uint32_t i = 0; i < chunks.size();) {
    std::uint32_t end = i;
    while (end < chunks.size() && near[end]) ++end;
    if (end > i) look_at({present.first + i, end - i});
    i = end + 1;
  }
  if (context_.partition->is_split()) share_with_others(found);
  std::sort(found.begin(), found.end(),
            [](const PresentParticle& p, const PresentParticle& q) { return p.id < q.id; });
  return found;
}

// What each partition has found becomes what all have found.
template <class Integrator>
void SceneStepper<Integrator>::share_with_others(std::vector<PresentParticle>& found) {
  ByteWriter out;
  out.values(std::span<const PresentParticle>(found));
  const Message mine = out.take();
  found.clear();
  for (const Message& message :
       context_.partition->exchange(std::vector<Message>(context_.partition->count(), mine))) {
    ByteReader in(message);
    const auto theirs = in.values<PresentParticle>();
    found.insert(found.end(), theirs.begin(), theirs.end());
  }
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
