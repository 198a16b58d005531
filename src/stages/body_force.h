// Forces beside gravity, those of the scene and one that the user of the library computes
// (Simulation::set_force), as accelerations of all particles at once, which kick them before P2G;
// where a fused step has brought them to the grid already, the nodes are kicked as well.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "kernels/exec/default_streams.h"
#include "kernels/exec/replay.h"
#include "kernels/grid/update.h"
#include "kernels/particles/accelerate.h"
#include "kernels/transfer/scatter_impulses.h"
#include "src/stages/stage.h"
#include "src/state/force_store.h"
#include "src/state/particle_fields.h"

namespace firn {

template <class Exec, int D, class Real>
class BodyForceStage : public Stage<Exec, D, Real> {
 public:
  BodyForceStage(const Scene& scene, StepContext<Exec, D, Real>& context)
      : Stage<Exec, D, Real>(context), of_scene_(context.exec, scene), work_(context.exec, 2) {
    work_.zero();
  }

  void set(Force force, Memory memory) {
    force_ = std::move(force);
    memory_ = memory;
  }
  bool acts() const { return force_ || !of_scene_.empty(); }
  // The user's are computed on the host's word.
  bool needs_host() const { return static_cast<bool>(force_); }
  void reserve_chunks(std::uint32_t chunks) {
    if (!of_scene_.empty()) make_room(chunks);
  }

  // Before a layout: one would have to bring along the velocities that fused steps need no more.
  void kick_what_is_on_the_grid() {
    if (!acts()) return;
    if (force_) require_velocities();
    kick(KickPlace::kGrid);
  }
  // After it, when dt is known, what is not on the grid. Steps that may be long are cut where the
  // forces are stronger than was known when dt was chosen.
  void kick_particles() {
    if (!acts()) return;
    if (context_.long_steps) keep_velocities();
    kick(KickPlace::kParticles);
    if (context_.long_steps && !of_scene_.empty())
      bound_kick(context_.exec, context_.limits.data(), context_.step());
  }
  // A step that is to run again gives the kick again, but for what is on the grid.
  void poll(StepControl& c) {
    if ((c.stop & kStopField) != 0) {
      context_.half_way = true;
      of_scene_.throw_fault();
    }
    if (kept_values_ > 0 && (c.stop & (kStopUnsolved | kStopForce)) != 0) {
      context_.exec.copy(velocities_of(kept_from_), kept_.data(), kept_values_ * sizeof(Real));
      context_.exec.copy(&work_.data()[0], &work_.data()[1], sizeof(double));
    }
    kept_values_ = 0;
    if ((c.stop & kStopForce) == 0) return;
    c.stop &= ~kStopForce;
    c.dt = c.previous_dt;  // of the last step that was made
    context_.write(c);
  }
  void begin_frame() { work_.zero(); }
  void report(FrameStats& stats) { stats.force_work = of_scene_.empty() ? 0 : work_.first(); }

  void save(ByteWriter& out, std::uint32_t) {
    if (!of_scene_.empty()) out.value(work_.first());
  }
  void load(ByteReader& in, std::uint32_t) {
    kept_values_ = 0;
    if (of_scene_.empty()) return;
    const std::array<double, 2> work{in.value<double>(), 0};
    work_.upload(std::span<const double>(work));
  }

  std::size_t bytes() const {
    return acceleration_.bytes() + kept_.bytes() + of_scene_.bytes() + chunk_work_.bytes();
  }
  // About what bytes() says of forces of the scene beside `chunks`, for estimates.
  static std::size_t bytes_for(const Scene& scene, std::size_t chunks) {
    if (scene.forces.empty()) return 0;
    const bool keeps = traits_of(scene).staggered || traits_of(scene).implicit;
    return chunks * ((keeps ? 2 : 1) * std::size_t{kLanes} * D * sizeof(Real) + sizeof(double));
  }

 private:
  using Stage<Exec, D, Real>::context_;

  void make_room(std::uint32_t chunks) {
    const std::size_t values = std::size_t{chunks} * kLanes * D;
    if (acceleration_.size() < values) renew(context_.exec, acceleration_, values);
    if (!of_scene_.empty() && chunk_work_.size() < chunks)
      renew(context_.exec, chunk_work_, chunks);
  }
  // Between fused steps; those of a scene are always there.
  void require_velocities() const {
    const StepControl c = context_.read();
    if (c.stop == 0 && c.carried != 0 && c.kicked == 0 && c.velocities == 0)
      throw Error(ErrorCategory::kScene,
                  "set_force: the velocities that a force is told lie on the grid, as a callback "
                  "has stopped the simulation between two fused steps; advance_steps(1) without "
                  "the force brings them back");
  }
  void kick(KickPlace place) {
    make_room(context_.particles.capacity());
    plan_kick(context_.exec, place, context_.step());
    if (!of_scene_.empty())
      run_unless(context_.exec, &context_.step()->skip_kick, [&] {
        evaluate();
        give(place, true);
      });
    if (!force_) return;
    const StepControl c = context_.read();
    if (c.skip_kick != 0 || c.n_particles == 0) return;
    acceleration_.zero();
    const double dt = place == KickPlace::kGrid ? c.next_dt : c.dt;
    if (Exec::kIsCuda && memory_ == Memory::kHost)
      ask_with_copies(c, dt);
    else
      ask(c, dt);
    give(place, false);  // which may be one step's impulse, not to be asked for again
  }
  void evaluate() {
    const std::uint32_t chunks = context_.particles.capacity();
    evaluate_forces<Exec, D, Real>(context_.exec, context_.particles.view(),
                                   of_scene_.view(context_.grid.periodic(), context_.params.dx),
                                   acceleration_.data(), chunk_work_.data(), chunks,
                                   context_.step());
    add_columns(context_.exec, chunk_work_.data(), {&context_.step()->n_chunks, chunks}, 1,
                work_.data(), &context_.step()->skip_kick);
  }
  void give(KickPlace place, bool bounds) {
    // What one partition stops at the others must know; they find the fault at the step's end.
    const bool stops = !context_.partition->is_split();
    accelerate<Exec, D, Real>(context_.exec, context_.particles.view(), acceleration_.data(),
                              context_.particles.capacity(), {stops, bounds}, context_.step());
    if (place == KickPlace::kParticles) return;
    scatter_impulses<Exec, D, Real>(context_.exec, context_.params.transfer,
                                    context_.particles.view(), acceleration_.data(),
                                    context_.grid.view(), context_.step(), context_.max_blocks());
  }

  Real* velocities_of(std::uint32_t chunk) {
    return channel_row(context_.particles.view().v, chunk, D, 0);
  }
  void keep_velocities() {  // of steps that may be rejected
    const StepControl c = context_.read();
    if (c.stop != 0) return;
    const std::size_t values = std::size_t{c.n_chunks} * kLanes * D;
    if (kept_.size() < values) renew(context_.exec, kept_, context_.particles.slots() * D);
    context_.exec.copy(kept_.data(), velocities_of(c.first_chunk), values * sizeof(Real));
    context_.exec.copy(&work_.data()[1], &work_.data()[0], sizeof(double));
    kept_from_ = c.first_chunk;
    kept_values_ = values;
  }

  static ForceStep step_of(const StepControl& c, double dt) {
    ForceStep step;
    step.time = c.time;
    step.dt = dt;
    step.dimension = D;
    return step;
  }

  // About the simulation's own memory.
  void ask(const StepControl& c, double dt) {
    context_.exec.synchronize();  // what the views show is complete
    const ChunkSpan present = chunks_of(c);
    const ParticleFields<Exec, D, Real> fields(context_.exec, context_.particles, present,
                                               c.n_particles);
    ForceStep step = step_of(c, dt);
    step.id = fields.view(fields.find("id"));
    step.position = fields.view(fields.find("position"));
    step.velocity = fields.view(fields.find("velocity"));
    step.mass = fields.view(fields.find("mass"));
    step.acceleration =
        placed(counted(view_of_rows<void>(acceleration_.data(), D, D, present.count),
                       context_.particles.chunk_table() + present.first, c.n_particles),
               context_.exec);
    const typename Exec::Guard guard(context_.exec);
    force_(step);
    follow_default_streams(context_.exec);
  }

  void ask_with_copies(const StepControl& c, double dt) {
    const ChunkSpan present = chunks_of(c);
    const auto& particles = context_.particles;
    const auto chunks = particles.chunks(present);
    const auto ids = particles.ids(present);
    const auto x = particles.download(kX, present), v = particles.download(kV, present),
               mass = particles.download(kMass, present);
    std::vector<Real> a(x.size(), Real(0));
    const auto view = [&](auto&& rows) {
      return counted(rows, chunks.data(), static_cast<std::int64_t>(c.n_particles));
    };
    ForceStep step = step_of(c, dt);
    step.id = view(view_of_rows<const void>(ids.data(), 1, 1, present.count));
    step.position = view(view_of_rows<const void>(x.data(), D, D, present.count));
    step.velocity = view(view_of_rows<const void>(v.data(), D, D, present.count));
    step.mass = view(view_of_rows<const void>(mass.data(), 1, 1, present.count));
    step.acceleration = view(view_of_rows<void>(a.data(), D, D, present.count));
    force_(step);
    acceleration_.upload(a);
  }

  ForceStore<Exec, D, Real> of_scene_;
  Force force_;
  Memory memory_ = Memory::kHost;
  Buffer<Exec, Real> acceleration_;  // of the chunks from the first one on
  Buffer<Exec, Real> kept_;          // velocities of those before the kick
  Buffer<Exec, double> chunk_work_;  // J, of the scene's forces
  Buffer<Exec, double> work_;        // J, of the frame so far, and before the step
  std::uint32_t kept_from_ = 0;      // chunk
  std::size_t kept_values_ = 0;
};

}  // namespace firn
