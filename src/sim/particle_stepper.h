// What all steppers share: particles and grid of a scene on one backend, the loop over steps with
// its faults and growth, reports, the saved state. A stepper says what one step is (`enqueue_step`)
// and what else it keeps.
#pragma once

#include "src/sim/collider_store.h"
#include "src/sim/diagnose.h"
#include "src/sim/grid_store.h"
#include "src/sim/particle_store.h"
#include "src/sim/run_ahead.h"
#include "src/sim/scene_params.h"
#include "src/sim/stepper.h"

#include "kernels/collide/guard.h"
#include "kernels/exec/replay.h"
#include "kernels/particles/totals.h"
#include "kernels/step/step.h"
#include "kernels/transfer/transfer.h"

namespace firn {

enum StageClock {
  kClockRebuild,
  kClockP2G,
  kClockGrid,
  kClockG2P,
  kClockConstitutive,
  kClockFused,
  kClockOther
};

template <class Exec, int D, class Real>
class ParticleStepper : public Stepper {
 public:
  void append(const ParticleBatch& batch, std::uint32_t first_id) override;
  void initialize() override;
  bool run_until(double target, const StepWatch& watch) override;
  void set_body_force(Simulation::BodyForce force) override { body_force_ = std::move(force); }
  bool run_steps(std::int64_t steps, double latest, const StepWatch& watch) override;
  void time_stages(bool on) override { time_stages_ = on; }

  StepControl control() override { return control_.first(); }
  void begin_frame() override;
  Totals totals() override;
  std::vector<ColliderReaction> reactions() override;
  StageTimes times() override;
  EnqueueStats enqueued() const override { return enqueued_; }
  Snapshot snapshot(const SnapshotParts& parts) override;
  std::size_t memory_bytes() const override;
  std::int64_t grown() const override { return grown_; }
  std::string device_name() const override { return exec_->name(); }

  void save(ByteWriter& out) override;
  void load(ByteReader& in, std::uint32_t id_end) override;

 protected:
  // Velocities live on the nodes of the grid (1 component group) or on the faces of its cells (D).
  ParticleStepper(const Scene& scene, std::unique_ptr<Exec> exec, ParticleNamer namer,
                  int grid_components);

  // Enqueues the operators of one step.
  virtual void enqueue_step() = 0;
  // Whether enqueue_step does nothing but launch, and launches the same with each call until
  // step_changed is called: it waits for nothing that the device has to say.
  virtual bool capturable() const { return false; }
  // Before the first step, when the first layout is known.
  virtual void evaluate_initial_state() {}
  // The particles' or the grid's capacity has grown.
  virtual void reserve_for_chunks(std::uint32_t) {}
  virtual void reserve_for_blocks(std::uint32_t) {}
  virtual void clear_frame_sums() {}
  virtual double elastic_energy() { return 0; }
  virtual std::size_t own_bytes() const { return 0; }
  // What the state of a step boundary holds beside the particles. Loading throws Error{kFile} where
  // it does not fit.
  virtual void save_own(ByteWriter&, std::uint32_t /*n_chunks*/) {}
  virtual void load_own(ByteReader&, std::uint32_t /*n_chunks*/) {}
  // Acts on flags that only this stepper knows, before growth.
  virtual void poll_own(StepControl&) {}

  // What enqueue_step launches is another thing from now on.
  void step_changed() { ++step_version_; }
  void rebuild();
  void apply_body_force();
  // Kinetic energy and the other sums over all particles, left in `column_sums_`.
  void measure_particles(const std::uint32_t* stop);
  void write_control(const StepControl& c) { control_.upload(std::span<const StepControl>(&c, 1)); }
  static void refuse_unless(bool fits, const char* what);

  std::unique_ptr<Exec> exec_;
  bool fused_;
  SceneParams<D, Real> params_;
  ParticleStore<Exec, D, Real> particles_;
  GridStore<Exec, D, Real> grid_;
  ColliderStore<Exec, D, Real> colliders_;
  Buffer<Exec, StepControl> control_;
  Buffer<Exec, StepLimits> limits_;
  Buffer<Exec, double> totals_table_, column_sums_;
  Simulation::BodyForce body_force_;
  HeatModel<Real> heat_model_;  // empty unless the scene is thermal

 private:
  static constexpr RunPace kPace{Exec::kIsCuda ? 8 : 1, kReadbackSlots},
      kPaceWithHost{kPace.steps_per_look, 1}, kStepByStep{1, 1};

  bool run(const StepControl& c, const RunGoal& goal, const StepWatch& watch);
  void enqueue_steps(int n);
  // On the CPU a launch is the work, so there is nothing to be ahead of.
  bool needs_no_host() const { return Exec::kIsCuda && capturable() && !body_force_; }
  bool replays() const { return needs_no_host() && !time_stages_; }
  StepControl aim(StepControl c, double target, std::uint64_t last_step);
  void find_layout(const RebuildView& scratch);
  void poll(StepControl& c);
  void grow(const StepControl& c);
  [[noreturn]] void throw_fault(const StepControl& c) const;
  void fold_into_domain(std::vector<float>& position) const;
  double total_heat();
  bool consistent(const StepControl& c, const std::vector<Chunk>& layout) const;
  void save_carried(ByteWriter& out, const StepControl& c) const;
  void load_carried(ByteReader& in, const StepControl& c, const std::vector<Chunk>& layout);
  static bool in_order(const std::vector<Chunk>& layout, std::uint32_t blocks);
  [[noreturn]] static void fail_to_load();
  bool within_reach(const std::vector<Chunk>& layout, const std::vector<std::uint64_t>& keys) const;
  // The caller writes `c` back: the particles' first chunk may be another one.
  void reserve(StepControl& c, std::uint32_t chunks, std::uint32_t blocks);

  ParticleNamer namer_;
  std::int64_t grown_ = 0;
  bool time_stages_ = false;
  std::uint64_t step_version_ = 0;
  EnqueueStats enqueued_;
  Replay<Exec> replay_;
  Readback<Exec> looks_;
};

}  // namespace firn
