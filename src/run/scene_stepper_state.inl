// What a stepper tells and keeps: totals, snapshots, the saved state.
#pragma once

#include <algorithm>
#include <cstddef>

#include "src/run/scene_stepper.h"
#include "src/stages/stage.h"
#include "src/state/particle_state.h"

namespace firn {

// --- reports ---

// Of a row of kReactionColumns.
inline ColliderReaction reaction_in(const double* row) {
  return {{row[0], row[1], row[2]}, {row[3], row[4], row[5]}, row[kWork]};
}

template <class Integrator>
void SceneStepper<Integrator>::begin_frame() {
  StepControl c = control();
  c.frame_steps = 0;
  std::fill(std::begin(c.limited), std::end(c.limited), 0);
  c.dt_smallest = c.dt_largest = 0;
  std::fill(std::begin(c.squeezed), std::end(c.squeezed), 0);
  context_.write(c);
  context_.bodies.clear_sums();
  context_.fields.clear_sums();
  for_each_stage([](auto& stage) { stage.begin_frame(); });
  context_.exec.collect_times();
  enqueued_ = {};
}

template <class Integrator>
Totals SceneStepper<Integrator>::totals() {
  require_whole();
  Totals t;
  if (context_.particles.capacity() > 0) for_each_stage([&](auto& stage) { stage.add_to(t); });
  return t;
}

template <class Integrator>
void SceneStepper<Integrator>::report(FrameStats& stats) {
  for_each_stage([&](auto& stage) { stage.report(stats); });
}

template <class Integrator>
void SceneStepper<Integrator>::set_inflows(const std::vector<SourceInflow>& flows) {
  if constexpr (requires { integrator_.inflow; }) integrator_.inflow.set(flows);
}

template <class Integrator>
Snapshot SceneStepper<Integrator>::tracers() {
  if constexpr (requires { integrator_.tracers; })
    return integrator_.tracers.snapshot();
  else
    return {};
}

template <class Integrator>
std::vector<ColliderReaction> SceneStepper<Integrator>::reactions() {
  std::vector<double> sums = context_.bodies.sums();
  context_.partition->sum(sums);
  std::vector<ColliderReaction> reactions;
  for (std::size_t row = 0; row < sums.size(); row += kReactionColumns)
    reactions.push_back(reaction_in(&sums[row]));
  return reactions;
}

template <class Integrator>
std::vector<ColliderReaction> SceneStepper<Integrator>::contacts() {
  const std::vector<double> sums = context_.fields.sums();
  std::vector<ColliderReaction> contacts;
  for (const std::uint8_t field : context_.fields.of_material())
    contacts.push_back(field == 0 ? ColliderReaction{}
                                  : reaction_in(&sums[std::size_t{field} * kReactionColumns]));
  return contacts;
}

template <class Integrator>
StageTimes SceneStepper<Integrator>::times() {
  const std::vector<double> s = context_.exec.collect_times();
  if (replays()) return {};  // the clocks saw only the steps that were not captured
  return {s[kClockRebuild],      s[kClockP2G],   s[kClockGrid], s[kClockG2P],
          s[kClockConstitutive], s[kClockFused], s[kClockOther]};
}

// Particles are kept where their stencil does not cross the seam of a periodic axis, up to two
// cells beyond the domain.
template <class Integrator>
void SceneStepper<Integrator>::fold_into_domain(std::vector<float>& position) const {
  const PeriodicBlocks& ring = context_.grid.periodic();
  for (std::size_t a = 0; a < D; ++a) {
    if (ring.count[a] == 0) continue;
    const double block = context_.params.dx * BlockTraits<D>::kSide, length = block * ring.count[a],
                 low = block * ring.first[a];
    for (std::size_t i = a; i < position.size(); i += D) {
      const double from = position[i] - low;
      position[i] = static_cast<float>(position[i] - length * std::floor(from / length));
    }
  }
}

template <class Integrator>
Snapshot SceneStepper<Integrator>::snapshot(const SnapshotParts& parts) {
  const ChunkSpan present = chunks_of(control());
  const auto chunks = context_.particles.chunks(present);
  const auto ids = context_.particles.ids(present);
  const std::vector<std::uint32_t> slots = slots_by_id(chunks, ids);

  Snapshot s;
  s.dimension = D;
  s.id.reserve(slots.size());
  s.material.reserve(slots.size());
  for (std::uint32_t slot : slots) {
    s.id.push_back(ids[slot]);
    s.material.push_back(static_cast<std::uint16_t>(chunks[slot / kLanes].material));
  }
  const auto copy = [&](ParticleChannel c, int components, std::vector<float>& out,
                        bool with_identity = false) {
    if (!context_.particles.has(c)) return;
    auto values = context_.particles.download(c, present);
    const int stored = context_.particles.components(c);
    out.reserve(slots.size() * components);
    for (std::uint32_t slot : slots)
      for (int k = 0; k < components; ++k) {
        const Real one = with_identity && k % (D + 1) == 0 ? Real(1) : Real(0);
        out.push_back(static_cast<float>(one + channel_at(values.data(), slot, stored, k)));
      }
  };
  // Between fused steps some channels lie on the grid.
  const bool carried = control().carried != 0;
  const auto at_hand = [&](ParticleChannel c) {
    return !carried || !context_.particles.is_idle(c);
  };
  for (const ChannelRow& row : kParticleTable) {
    if (row.shown == nullptr || !at_hand(row.channel)) continue;
    if (row.asked != nullptr && !(parts.*row.asked)) continue;
    const int all = context_.particles.components(row.channel);
    copy(row.channel, row.shown_components > 0 ? row.shown_components : all, s.*row.shown,
         row.shown_with_identity);
  }
  fold_into_domain(s.position);
  if (context_.heat_model.solves()) {
    const auto heat = context_.particles.download(kHeat, present);
    s.temperature.reserve(slots.size());
    s.phase.reserve(slots.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const Real enthalpy = channel_at(heat.data(), slots[i], kHeatComponents, 0);
      s.temperature.push_back(context_.heat_model.temperature(s.material[i], s.id[i], enthalpy));
      s.phase.push_back(channel_at(heat.data(), slots[i], kHeatComponents, 1) > Real(0.5) ? 1 : 0);
    }
  }
  if ((parts.kirchhoff_stress || parts.pressure) && context_.particles.has(kStress) &&
      at_hand(kStress)) {
    std::vector<float> packed;
    copy(kStress, symmetric_components(D), packed);
    s.kirchhoff_stress.resize(slots.size() * D * D);
    for (std::size_t i = 0; i < slots.size(); ++i)
      for (int a = 0, k = 0; a < D; ++a)
        for (int b = a; b < D; ++b, ++k) {
          const float tau = packed[i * symmetric_components(D) + k] / s.volume[i];
          s.kirchhoff_stress[i * D * D + a * D + b] = s.kirchhoff_stress[i * D * D + b * D + a] =
              tau;
        }
  }
  for_each_stage([&](auto& stage) { stage.fill(s, parts, slots); });
  // An empty list in braces would leave the memory where it is.
  if (!parts.kirchhoff_stress) s.kirchhoff_stress = std::vector<float>();
  if (!parts.pressure) s.pressure = std::vector<float>();
  return s;
}

template <class Integrator>
std::size_t SceneStepper<Integrator>::memory_bytes() const {
  std::size_t sum = context_.particles.bytes() + context_.grid.bytes() + context_.bodies.bytes() +
                    context_.fields.bytes();
  for_each_stage([&](auto& stage) { sum += stage.bytes(); });
  return sum;
}

// --- state ---

template <class Integrator>
void SceneStepper<Integrator>::save(ByteWriter& out) {
  const StepControl c = control();
  // `load` puts the particles into the first bank, and does not have the tables of their layout.
  StepControl saved = c;
  saved.first_chunk = saved.placed_chunks = saved.left = 0;
  saved.skip_layout = saved.skip_particles = saved.skip_bank_change = saved.skip_permute = 0;
  saved.skip_near = saved.skip_sort = saved.skip_kick = 0;
  out.value(D);
  out.value(sizeof(Real));
  out.value(context_.params.dx);
  out.value(std::uint64_t{context_.partition->rank()});
  out.value(std::uint64_t{context_.partition->count()});
  out.value(saved);
  out.values(std::span<const double>(materials_in_numbers()));
  save_particles(out, context_.particles, chunks_of(c), c.carried != 0, c.velocities != 0);
  out.values(std::span<const double>(context_.bodies.sums()));
  if (context_.fields.columns() > 0) out.values(std::span<const double>(context_.fields.sums()));
  context_.bodies.save(out);
  for_each_stage([&](auto& stage) { stage.save(out, c.n_chunks); });
  if (c.carried != 0) save_carried(out, c);
}

template <class Integrator>
std::vector<double> SceneStepper<Integrator>::materials_in_numbers() const {
  std::vector<double> all;
  for (const MaterialParams<Real>& material : context_.params.materials) {
    const std::vector<double> numbers = numbers_of(material);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}
// A state that was saved with other materials: the lengths of steps that were chosen for those say
// nothing of these.
template <class Integrator>
void SceneStepper<Integrator>::bound_steps_anew(StepControl& c) const {
  c.ahead = 0;
  for (std::size_t m = 0; m < context_.params.materials.size(); ++m)
    c.wave_squared[m] =
        std::max(c.wave_squared[m], wave_squared_at_rest<D>(context_.params.materials[m]));
}

// Between fused steps.
template <class Integrator>
void SceneStepper<Integrator>::save_carried(ByteWriter& out, const StepControl& c) const {
  const auto carried = context_.grid.carried(c.n_blocks);
  out.values(std::span<const std::uint64_t>(carried.keys));
  out.values(std::span<const std::uint32_t>(carried.home));
  out.values(std::span<const Real>(carried.momentum));
  out.values(std::span<const Real>(carried.impulse));
  out.values(std::span<const std::uint32_t>(context_.particles.late_marks(chunks_of(c))));
}
template <class Integrator>
void SceneStepper<Integrator>::load_carried(ByteReader& in, const StepControl& c,
                                            const std::vector<Chunk>& layout) {
  typename GridStore<Exec, D, Real>::Carried carried;
  carried.keys = in.values<std::uint64_t>();
  carried.home = in.values<std::uint32_t>();
  carried.momentum = in.values<Real>();
  carried.impulse = in.values<Real>();
  const auto marks = in.values<std::uint32_t>();
  if (!context_.grid.fits(carried, c.n_blocks) || marks.size() != layout.size() ||
      !(in_order(layout, c.n_blocks) && (c.late != 0 || within_reach(layout, carried.keys))) ||
      !std::all_of(layout.begin(), layout.end(),
                   [&](const Chunk& chunk) { return carried.home[chunk.block] != 0; }))
    fail_to_load();
  context_.particles.set_late_marks(marks);
  context_.grid.restore(carried);
  RebuildView scratch;
  context_.particles.fill(scratch);
  context_.grid.fill(scratch);
  restore_layout<Exec, D, Real>(context_.exec, context_.particles.view(), context_.grid.view(),
                                scratch, context_.step());
}

template <class Integrator>
void SceneStepper<Integrator>::fail_to_load() {
  throw Error(ErrorCategory::kFile,
              "the saved state contradicts itself: it is damaged or of another scene");
}
template <class Integrator>
bool SceneStepper<Integrator>::in_order(const std::vector<Chunk>& layout, std::uint32_t blocks) {
  const auto by_block = [](const Chunk& a, const Chunk& b) { return a.block < b.block; };
  return layout.empty() ||
         (std::is_sorted(layout.begin(), layout.end(), by_block) && layout.back().block < blocks);
}
// Whether all particles lie within the tiles of a fused step.
template <class Integrator>
bool SceneStepper<Integrator>::within_reach(const std::vector<Chunk>& layout,
                                            const std::vector<std::uint64_t>& keys) const {
  const auto n_chunks = static_cast<std::uint32_t>(layout.size());
  const auto x = context_.particles.download(kX, {0, n_chunks});
  const Real inv_dx = static_cast<Real>(1 / context_.params.dx),
             shift = home_shift<Real>(context_.params.transfer);
  for (std::uint32_t c = 0; c < n_chunks; ++c) {
    const Vec<int, D> home = block_of_key<D>(keys[layout[c].block]);
    for (std::uint32_t slot = c * kLanes; slot < c * kLanes + layout[c].count; ++slot)
      for (int a = 0; a < D; ++a) {
        const Real node = axis_place(channel_at(x.data(), slot, D, a), inv_dx, shift).node -
                          static_cast<Real>(home[a] * BlockTraits<D>::kSide);
        if (!(node >= Real(-1) && node <= Real(BlockTraits<D>::kSide))) return false;
      }
  }
  return true;
}

// Every count that is later used as an index. What it lets through may be wrong, but not out of
// bounds.
template <class Integrator>
bool SceneStepper<Integrator>::consistent(const StepControl& c,
                                          const std::vector<Chunk>& layout) const {
  std::uint64_t particles = 0;
  for (const Chunk& chunk : layout) {
    if (chunk.count > kLanes || chunk.material >= context_.params.limits.materials) return false;
    particles += chunk.count;
  }
  // Fused steps keep all neighbours of a home block.
  const auto blocks_bound = particles * static_cast<std::uint64_t>(int_power(3, D));
  const double all_times[] = {c.time, c.dt, c.previous_dt, c.ahead, c.next_dt};
  const bool times = std::all_of(std::begin(all_times), std::end(all_times),
                                 [](double t) { return std::isfinite(t) && t >= 0; });
  const StepLimit limits[] = {c.limit, c.ahead_limit, c.next_limit};
  const bool limited = std::all_of(std::begin(limits), std::end(limits), [](StepLimit limit) {
    return static_cast<std::uint32_t>(limit) < kStepLimits;
  });
  // Only fused steps leave something on the grid.
  const bool carries = c.first_chunk == 0 && c.placed_chunks == 0 &&
                       c.carried <= (context_.fused ? 1u : 0u) && c.fuse <= 1 &&
                       c.velocities <= 1 && c.grid_saved == 0 && c.kicked == 0 &&
                       c.late <= (c.carried != 0 ? c.n_particles : 0);
  const double squares[] = {c.speed_squared, c.force_squared};
  bool maxima = std::all_of(std::begin(squares), std::end(squares),
                            [](double square) { return std::isfinite(square) && square >= 0; });
  for (std::uint32_t m = context_.params.limits.materials; m < kMaxMaterials; ++m)
    maxima = maxima && c.wave_squared[m] == 0 && c.lightest[m] == 0;
  // 0 where none has limited a step, nor is there any perhaps.
  const std::uint32_t materials = std::max(context_.params.limits.materials, 1u);
  return times && limited && carries && maxima && c.n_chunks == layout.size() &&
         c.n_slots == std::uint64_t{c.n_chunks} * kLanes && c.n_particles == particles &&
         c.n_blocks <= blocks_bound && c.limit_material < materials &&
         c.ahead_material < materials && (c.stop & ~std::uint32_t{kStopTarget}) == 0 &&
         c.fault == ~std::uint64_t{0};
}

template <class Integrator>
typename SceneStepper<Integrator>::Head SceneStepper<Integrator>::load_head(ByteReader& in) const {
  const int dimension = in.value<int>();
  const auto real_size = in.value<std::size_t>();
  refuse_unless(dimension == D && real_size == sizeof(Real), "dimension or precision");
  refuse_unless(in.value<double>() == context_.params.dx, "grid.dx");
  const auto rank = in.value<std::uint64_t>(), count = in.value<std::uint64_t>();
  refuse_unless(rank == context_.partition->rank() && count == context_.partition->count(),
                "split of the domain");
  Head head;
  head.control = in.value<StepControl>();
  head.materials = in.values<double>();
  head.layout = in.values<Chunk>();
  if (head.control.carried == 1 && !context_.fused)
    throw Error(ErrorCategory::kFile,
                "the saved state lies between two fused steps, and this scene makes none on this "
                "device: go on with it as it was made, to the end of a frame, or from an earlier "
                "checkpoint");
  if (!consistent(head.control, head.layout)) fail_to_load();
  if (head.control.carried != 0 && head.materials != materials_in_numbers())
    throw Error(
        ErrorCategory::kFile,
        "the saved state is of other materials, and lies between two fused steps, the next of "
        "which has begun with them; one of the end of a frame does not");
  return head;
}

template <class Integrator>
void SceneStepper<Integrator>::require_fit(ByteReader in, std::uint32_t id_end) {
  require_whole();
  const Head head = load_head(in);
  require_particles_fit(in, context_.particles, head.layout, id_end);
  refuse_unless(in.skip<double>() == context_.bodies.columns(), "number of colliders");
}

template <class Integrator>
void SceneStepper<Integrator>::load(ByteReader& in) {
  require_whole();
  const Head head = load_head(in);
  const std::vector<Chunk>& layout = head.layout;
  StepControl c = head.control;
  if (head.materials != materials_in_numbers()) bound_steps_anew(c);
  reserve(c, c.n_chunks > context_.particles.capacity() ? with_room(c.n_chunks) : c.n_chunks,
          c.n_blocks > context_.grid.capacity() ? with_room(c.n_blocks) : c.n_blocks);
  load_particles(in, context_.particles, layout);
  context_.bodies.set_sums(in.values<double>());
  if (context_.fields.columns() > 0) {
    const std::vector<double> sums = in.values<double>();
    refuse_unless(sums.size() == context_.fields.columns(), "number of materials that touch");
    context_.fields.set_sums(sums);
  }
  refuse_unless(context_.bodies.load(in), "number of dynamic colliders");
  if (!context_.bodies.consistent()) fail_to_load();
  context_.bodies.forget_dependents();
  for_each_stage([&](auto& stage) { stage.load(in, c.n_chunks); });
  context_.half_way = false;
  // They have moved since they were placed, and may be another's.
  if (context_.partition->is_split()) loaded_chunks_ = c.n_chunks;
  context_.write(c);
  if (c.carried == 0) return;
  load_carried(in, c, layout);
  context_.write(c);  // as it was before the tables were made anew
}

}  // namespace firn
