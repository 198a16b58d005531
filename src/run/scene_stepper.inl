// The loop over steps. See scene_stepper.h; reports and the saved state are in
// scene_stepper_state.inl, what comes in, goes out and is looked at in scene_stepper_particles.inl.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <utility>

#include "kernels/materials/material.h"
#include "kernels/transfer/tile.h"
#include "src/run/scene_stepper.h"
#include "src/state/capacity.h"

namespace firn {

// --- room ---

template <class Integrator>
void SceneStepper<Integrator>::initialize() {
  StepControl c = control();
  // The first layout finds out what the scene needs; growing counts from here on.
  reserve(c, std::max(c.n_chunks, 1u), initial_blocks(c.n_particles));
  c.speed_squared = std::max(c.speed_squared, context_.bodies.moved().speed_squared());
  context_.write(c);
  do {
    integrator_.layout.enqueue();
    context_.exec.synchronize();
    c = control();
    poll(c);
  } while ((c.stop & kStopOverflow) != 0);
  c.grid_saved = 0;  // no step has followed the layout
  context_.write(c);
  grown_ = 0;
  for_each_stage([](auto& stage) { stage.initialize(); });
  context_.agree();
  context_.exec.synchronize();
  c = control();
  if (c.fault != ~std::uint64_t{0}) poll(c);
}

template <class Integrator>
void SceneStepper<Integrator>::reserve(StepControl& c, std::uint32_t chunks, std::uint32_t blocks) {
  require_whole();
  constexpr std::uint32_t kMostChunks =
      (std::uint32_t{1} << 27) - 1;  // slots are counted by 32 bits
  if (chunks > kMostChunks)
    throw Error(ErrorCategory::kDevice,
                "there are more particles than the program can number: in chunks of " +
                    std::to_string(kLanes) +
                    ", of which each block begins one for each of its "
                    "materials, " +
                    std::to_string(kMostChunks) + " at most");
  whole_ = false;
  context_.changed();
  context_.particles.reserve(chunks, c.first_chunk);
  for_each_stage([&](auto& stage) { stage.reserve_chunks(context_.particles.capacity()); });
  if (blocks > context_.grid.capacity()) {
    context_.grid.reserve(blocks);
    context_.bodies.reserve(blocks);
    context_.fields.reserve(blocks);
    for_each_stage([&](auto& stage) { stage.reserve_blocks(context_.grid.capacity()); });
  }
  whole_ = true;
}

template <class Integrator>
void SceneStepper<Integrator>::require_whole() const {
  if (!whole_)
    throw Error(ErrorCategory::kDevice,
                "there was no memory for what this simulation needed, and its state is lost: load "
                "a saved one into a new simulation");
}

// --- stepping ---

template <class Integrator>
bool SceneStepper<Integrator>::run_until(double target, const StepWatch& watch) {
  const auto left = [](const StepControl& now) {
    return now.dt > 0 ? std::ceil((now.target - now.time) / now.dt) : kPace.steps_per_look;
  };
  const auto done = [this](const StepControl& now) {
    return (now.stop & kStopTarget) != 0 || moves_anew_;
  };
  for (StepControl c = control(); c.time < target; c = control()) {
    const double stop = follow_bodies(c.time, target);
    if (!run(aim(c, stop, 0), {done, left}, watch)) return false;
    if (stop == target && !moves_anew_) break;
  }
  return true;
}

template <class Integrator>
bool SceneStepper<Integrator>::run_steps(std::int64_t steps, double latest,
                                         const StepWatch& watch) {
  StepControl c = control();
  const std::uint64_t end = c.step + static_cast<std::uint64_t>(steps);
  const auto left = [end](const StepControl& now) { return static_cast<double>(end - now.step); };
  const auto done = [this, end](const StepControl& now) {
    return now.step >= end || (now.stop & kStopTarget) != 0 || moves_anew_;
  };
  while (true) {
    const double stop = follow_bodies(c.time, latest);
    if (!run(aim(c, stop, end), {done, left}, watch)) return false;
    c = control();
    if (c.step >= end || (stop == latest && !moves_anew_) || c.time >= latest) return true;
  }
}

template <class Integrator>
StepControl SceneStepper<Integrator>::aim(StepControl c, double target, std::uint64_t last_step) {
  c.target = target;
  c.last_step = last_step;
  c.stop &= ~kStopTarget;
  context_.write(c);
  return c;
}

template <class Integrator>
bool SceneStepper<Integrator>::run(const StepControl& c, const RunGoal& goal,
                                   const StepWatch& watch) {
  struct Queue {
    SceneStepper& stepper;
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
  for_each_stage([&](auto& stage) { stage.watch(static_cast<bool>(watch.after_step)); });
  const RunPace& pace = watch.after_step ? kStepByStep : needs_no_host() ? kPace : kPaceWithHost;
  bool stopped = false;
  const auto interrupted = [&] {
    if (std::exchange(asked_, false)) return false;  // before a motion was followed
    stopped = watch.interrupted();
    asked_ = moves_anew_ && !stopped;
    return stopped || moves_anew_;
  };
  return run_ahead(Queue{*this, watch, c.step}, c, goal, pace,
                   watch.interrupted ? std::function<bool()>(interrupted) : nullptr) ||
         !stopped;
}

template <class Integrator>
bool SceneStepper<Integrator>::needs_no_host() const {
  bool waits = !Exec::kIsCuda || !Integrator::can_be_captured() || context_.partition->is_split();
  for_each_stage([&](const auto& stage) { waits = waits || stage.needs_host(); });
  return !waits;
}

template <class Integrator>
void SceneStepper<Integrator>::enqueue_step() {
  context_.exec.mark(-1);
  if (context_.partition->is_split()) exchange_particles();
  integrator_.enqueue();
  context_.agree();
  end_step(context_.exec, context_.step());
  context_.half_way = false;
  context_.mark(kClockOther);
}

template <class Integrator>
void SceneStepper<Integrator>::enqueue_steps(int n) {
  const auto start = std::chrono::steady_clock::now();
  const typename Exec::Guard guard(context_.exec);
  const bool replaying = replays();
  for (int i = 0; i < n; ++i) {
    if (!replaying)
      enqueue_step();
    else if (replay_.run(context_.version, [this] { enqueue_step(); }))
      ++enqueued_.replayed;
  }
  looks_.start(context_.step());
  if (!needs_no_host()) return;
  enqueued_.steps += n;
  enqueued_.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Acts on what the last steps reported: grows what overflowed, throws where they diverged.
template <class Integrator>
void SceneStepper<Integrator>::poll(StepControl& c) {
  for_each_stage([&](auto& stage) { stage.poll(c); });
  if ((c.stop & kStopDiverged) != 0 || c.fault != ~std::uint64_t{0}) throw_fault(c);
  if ((c.stop & kStopOverflow) != 0) grow(c);
}

template <class Integrator>
void SceneStepper<Integrator>::throw_fault(const StepControl& c) const {
  FaultyParticle particle{static_cast<std::uint32_t>(c.fault & 0xffffffffu), D, {}, {}, {}};
  const ParticleStore<Exec, D, Real>& particles = context_.particles;
  const ChunkSpan present = chunks_of(c);
  const auto ids = particles.ids(present);
  const auto chunks = particles.chunks(present);
  for (std::uint32_t slot = 0; slot < ids.size(); ++slot) {
    const Chunk& chunk = chunks[slot / kLanes];
    if (ids[slot] != particle.id || slot % kLanes >= chunk.count) continue;
    const auto vector = [&](ParticleChannel channel) {
      auto values = particles.download(channel, present);
      std::array<double, 3> v{};
      for (int a = 0; a < D; ++a)
        v[static_cast<std::size_t>(a)] = channel_at(values.data(), slot, D, a);
      return v;
    };
    particle.position = vector(kX);
    // Between fused steps velocities lie on the grid.
    if (c.carried == 0 || !particles.is_idle(kV)) particle.velocity = vector(kV);
    particle.material = context_.params.material_names[chunk.material];
  }
  throw diverged_error(c, particle, namer_, context_.params.material_names[c.limit_material],
                       context_.params.limits.dt_min);
}

template <class Integrator>
void SceneStepper<Integrator>::grow(const StepControl& c) {
  std::uint32_t chunks = context_.particles.capacity(), blocks = context_.grid.capacity();
  if (c.needed_chunks > chunks) chunks = with_room(c.needed_chunks);
  if (c.needed_blocks > blocks) blocks = with_room(c.needed_blocks);
  bool fits = chunks == context_.particles.capacity() && blocks == context_.grid.capacity();
  // A hash that filled up before the blocks could be counted. Else it was another partition that
  // lacked room, and this one only repeats the step.
  if (fits && c.needed_blocks == 0 && c.n_particles > 0) {
    blocks *= 2;
    fits = false;
  }
  StepControl cleared = c;
  if (!fits) {
    reserve(cleared, chunks, blocks);
    ++grown_;
  }
  cleared.stop &= ~kStopOverflow;
  cleared.needed_chunks = cleared.needed_blocks = 0;
  context_.write(cleared);
}

template <template <class, int, class> class Integrator, class Exec, int D, class Real>
std::unique_ptr<Stepper> make_scene_stepper(const Scene& scene, std::unique_ptr<Exec> exec,
                                            ParticleNamer namer,
                                            std::unique_ptr<Partition<Real>> part) {
  return std::make_unique<SceneStepper<Integrator<Exec, D, Real>>>(
      scene, std::move(exec), std::move(namer), std::move(part));
}

}  // namespace firn

#include "src/run/scene_stepper_particles.inl"
#include "src/run/scene_stepper_state.inl"
