// The explicit step (symplectic Euler): rebuild blocks, choose dt, P2G with internal forces, grid
// update, G2P, constitutive update. PHYSICS sections 2, 3, 5; DESIGN section 4. Instantiated per
// backend, dimension and precision in explicit_stepper_*.cpp.
#pragma once

#include "src/sim/collider_store.h"
#include "src/sim/diagnose.h"
#include "src/sim/grid_store.h"
#include "src/sim/particle_store.h"
#include "src/sim/scene_params.h"
#include "src/sim/stepper.h"

#include "kernels/collide/guard.h"
#include "kernels/materials/constitutive.h"
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
  kClockOther
};

template <class Exec, int D, class Real>
class ExplicitStepper final : public Stepper {
 public:
  ExplicitStepper(const Scene& scene, std::unique_ptr<Exec> exec, ParticleNamer namer);

  void append(const ParticleBatch& batch, std::uint32_t first_id) override;
  void initialize() override;
  bool run_until(double target, const std::function<bool()>& interrupted) override;
  void set_body_force(Simulation::BodyForce force) override { body_force_ = std::move(force); }
  void run_steps(std::int64_t steps) override;

  StepControl control() override { return control_.download()[0]; }
  void begin_frame() override;
  Totals totals() override;
  StageLedger stages() override;
  std::vector<ColliderReaction> reactions() override;
  StageTimes times() override;
  Snapshot snapshot() override;
  std::size_t memory_bytes() const override;
  std::int64_t grown() const override { return grown_; }
  std::string device_name() const override { return exec_->name(); }

  void save(ByteWriter& out) override;
  void load(ByteReader& in, std::uint32_t id_end) override;

 private:
  // Sums over the steps of a frame for diagnostics = "stages".
  enum StageSum {
    kParticlesBefore,
    kAfterP2G,
    kAfterForces,
    kAfterBoundary,
    kParticlesAfter,
    kElasticTrial,
    kElasticAfter,
    kStageSums
  };

  void enqueue_step();
  void rebuild();
  void apply_body_force();
  void measure_particles(StageSum target);
  void add_elastic(const Buffer<Exec, double>& packs, StageSum target);
  void poll(StepControl& c);
  void grow(const StepControl& c);
  std::vector<double> chunk_energies(std::uint32_t n_chunks) const;
  void load_energies(const std::vector<double>& chunk_energies);
  bool consistent(const StepControl& c, const std::vector<Chunk>& layout) const;
  void reserve(std::uint32_t chunks, std::uint32_t blocks);
  void write_control(const StepControl& c) { control_.upload(std::span<const StepControl>(&c, 1)); }
  GridUpdateParams<Real, D> update_params();
  RebuildView rebuild_view();

  std::unique_ptr<Exec> exec_;
  ParticleNamer namer_;
  Simulation::BodyForce body_force_;
  SceneParams<D, Real> params_;
  ParticleStore<Exec, D, Real> particles_;
  GridStore<Exec, D, Real> grid_;
  ColliderStore<Exec, D, Real> colliders_;
  Buffer<Exec, StepControl> control_;
  Buffer<Exec, StepLimits> limits_;
  Buffer<Exec, MaterialParams<Real>> materials_;
  Buffer<Exec, double> elastic_, trial_, totals_table_, stage_energies_, stage_sums_, column_sums_,
      pack_sums_;
  std::int64_t grown_ = 0;
};

}  // namespace firn
