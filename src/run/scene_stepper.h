// A scene on one backend, in one dimension and precision, advanced by one integrator: the loop over
// steps with its faults and growth, reports, the saved state. What a step is, the integrator says.
#pragma once

#include "kernels/exec/replay.h"
#include "src/run/run_ahead.h"
#include "src/run/stepper.h"
#include "src/state/diagnose.h"
#include "src/state/particle_exchange.h"
#include "src/state/particle_fields.h"
#include "src/state/step_context.h"

namespace firn {

template <class Integrator>
class SceneStepper final : public Stepper {
  using Context = typename Integrator::Context;
  using Exec = typename Context::Backend;
  using Real = typename Context::Number;
  static constexpr int D = Context::kDimension;

 public:
  // Without `part` the domain is whole; else all partitions make the same calls.
  SceneStepper(const Scene& scene, std::unique_ptr<Exec> exec, ParticleNamer namer,
               std::unique_ptr<Partition<Real>> part = nullptr)
      : context_(scene, std::move(exec), std::move(part)),
        integrator_(scene, context_),
        namer_(std::move(namer)),
        replay_(context_.exec),
        looks_(context_.exec, sizeof(StepControl)) {}

  void append(const ParticleBatch& batch, std::uint32_t first_id) override;
  void add(const ParticleBatch& batch, std::uint32_t first_id) override;
  void remove(std::span<const std::uint32_t> ids) override;
  std::vector<PresentParticle> particles_within(const Vec3& min, const Vec3& max) override;
  std::vector<FieldInfo> fields() override { return particle_fields().list(); }
  FieldView field_view(std::string_view name) override;
  FieldValues field_values(std::string_view name) override;
  void initialize() override;
  bool is_half_way() const override { return context_.half_way; }
  bool run_until(double target, const StepWatch& watch) override;
  void set_force(Force force, Memory memory) override {
    integrator_.body_force.set(std::move(force), memory);
  }
  void set_grid_boundary(GridBoundary boundary, Memory memory) override;
  bool run_steps(std::int64_t steps, double latest, const StepWatch& watch) override;
  void set_inflows(const std::vector<SourceInflow>& flows) override;
  void time_stages(bool on) override { time_stages_ = on; }

  StepControl control() override {
    require_whole();
    return context_.read();
  }
  void begin_frame() override;
  Totals totals() override;
  void report(FrameStats& stats) override;
  std::vector<ColliderReaction> reactions() override;
  std::vector<ColliderReaction> contacts() override;
  std::vector<ColliderState> colliders() override {
    return context_.bodies.states(context_.read().time);
  }
  void set_collider_motion(std::size_t collider, const Keyframes& motion) override {
    const bool moved = context_.bodies.moves();
    context_.bodies.set_motion(collider, motion);
    if (context_.bodies.moves() != moved) context_.changed();  // kernels are told of it
    moves_anew_ = true;
  }
  StageTimes times() override;
  EnqueueStats enqueued() const override { return enqueued_; }
  Snapshot snapshot(const SnapshotParts& parts) override;
  Snapshot tracers() override;
  std::size_t memory_bytes() const override;
  std::int64_t grown() const override { return grown_; }
  std::string device_name() const override { return context_.exec.name(); }

  void save(ByteWriter& out) override;
  void require_fit(ByteReader in, std::uint32_t id_end) override;
  void load(ByteReader& in) override;

 private:
  static constexpr RunPace kPace{Exec::kIsCuda ? 8 : 1, kReadbackSlots},
      kPaceWithHost{kPace.steps_per_look, 1}, kStepByStep{1, 1};

  template <class F>
  void for_each_stage(F&& f) {
    integrator_.for_each_stage(f);
  }
  template <class F>
  void for_each_stage(F&& f) const {
    const_cast<Integrator&>(integrator_).for_each_stage(f);
  }

  double follow_bodies(double time, double target) {
    moves_anew_ = false;
    return context_.follow_bodies(time, target);
  }
  bool run(const StepControl& c, const RunGoal& goal, const StepWatch& watch);
  std::vector<bool> chunks_near(const std::vector<Chunk>& chunks, const StepControl& c,
                                const Vec3& min, const Vec3& max);
  void share_with_others(std::vector<PresentParticle>& found);
  ParticleFields<Exec, D, Real> particle_fields();
  const ParticleField& field_at_hand(std::string_view name);
  void refuse_between_fused_steps(const char* what);
  // Keeps of what was just added what is at home in this partition.
  void leave_to_others(StepControl& c, ChunkSpan added, std::uint32_t particles);
  // Before a step: takes particles to the partitions that they have moved to.
  void exchange_particles();
  ParticleExchange<Exec, D, Real> particle_exchange();
  void enqueue_step();
  void enqueue_steps(int n);
  // On the CPU a launch is the work, so there is nothing to be ahead of.
  bool needs_no_host() const;
  bool replays() const { return needs_no_host() && !time_stages_; }
  StepControl aim(StepControl c, double target, std::uint64_t last_step);
  void poll(StepControl& c);
  void grow(const StepControl& c);
  // The caller writes `c` back: the particles' first chunk may be another one. What it throws
  // leaves some of the memory without room.
  void reserve(StepControl& c, std::uint32_t chunks, std::uint32_t blocks);
  void require_whole() const;
  [[noreturn]] void throw_fault(const StepControl& c) const;
  void fold_into_domain(std::vector<float>& position) const;
  bool consistent(const StepControl& c, const std::vector<Chunk>& layout) const;
  std::vector<double> materials_in_numbers() const;
  void bound_steps_anew(StepControl& c) const;
  void save_carried(ByteWriter& out, const StepControl& c) const;
  // What a saved state begins with.
  struct Head {
    StepControl control;
    std::vector<double> materials;
    std::vector<Chunk> layout;
  };
  Head load_head(ByteReader& in) const;
  void load_carried(ByteReader& in, const StepControl& c, const std::vector<Chunk>& layout);
  static bool in_order(const std::vector<Chunk>& layout, std::uint32_t blocks);
  [[noreturn]] static void fail_to_load();
  bool within_reach(const std::vector<Chunk>& layout, const std::vector<std::uint64_t>& keys) const;

  Context context_;
  Integrator integrator_;
  ParticleNamer namer_;
  std::int64_t grown_ = 0;
  bool time_stages_ = false;
  bool whole_ = true;
  std::uint32_t loaded_chunks_ = 0;  // of a split domain, since when no layout has placed them
  // A collider was given another motion since it was last followed, and whether by the one who was
  // asked to interrupt.
  bool moves_anew_ = false, asked_ = false;
  EnqueueStats enqueued_;
  Replay<Exec> replay_;
  Readback<Exec> looks_;
};

// The stepper of an integrator, a template over backend, dimension and precision. `part` may be
// null.
template <template <class, int, class> class Integrator, class Exec, int D, class Real>
std::unique_ptr<Stepper> make_scene_stepper(const Scene& scene, std::unique_ptr<Exec> exec,
                                            ParticleNamer namer,
                                            std::unique_ptr<Partition<Real>> part);

}  // namespace firn
