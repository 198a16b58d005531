// The type-erased stepper: particles and grid of a scene on one backend, in one dimension and
// precision.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/simulation.h"
#include "kernels/step/control.h"
#include "src/state/batch.h"
#include "src/state/bytes.h"
#include "src/state/diagnose.h"
#include "src/state/particle_fields.h"
#include "src/state/source_flow.h"

namespace firn {

// What is asked and told while steps are made. Either may be empty.
struct StepWatch {
  std::function<bool()> interrupted;  // polled between steps: true stops
  // Each step that was made; the next one waits for it.
  std::function<void(const StepControl&)> after_step;
};

class Stepper {
 public:
  virtual ~Stepper() = default;

  // Adds particles with ids first_id, first_id + 1, ..., before a step.
  virtual void append(const ParticleBatch& batch, std::uint32_t first_id) = 0;
  // The same between two steps: whoever looks next sees them, as does a saved state.
  virtual void add(const ParticleBatch& batch, std::uint32_t first_id) = 0;
  // Takes out the particles with these ids, which ascend. Throws Error{kScene} if there is none of
  // one of them.
  virtual void remove(std::span<const std::uint32_t> ids) = 0;
  // Those within a box, of all partitions, by ascending ids; on periodic axes as near it as they
  // come.
  virtual std::vector<PresentParticle> particles_within(const Vec3& min, const Vec3& max) = 0;
  virtual std::vector<FieldInfo> fields() = 0;
  virtual FieldView field_view(std::string_view name) = 0;
  virtual FieldValues field_values(std::string_view name) = 0;
  // Evaluates the stress of the initial state.
  virtual void initialize() = 0;

  // Steps until `target`. Returns false if `watch` stopped it between two steps. Throws
  // Error{kDiverged}.
  virtual bool run_until(double target, const StepWatch& watch) = 0;
  // So many steps, or fewer if `latest` is reached: a step is cut to end then.
  virtual bool run_steps(std::int64_t steps, double latest, const StepWatch& watch) = 0;
  virtual void set_force(Force force, Memory memory) = 0;
  virtual void set_grid_boundary(GridBoundary boundary, Memory memory) = 0;
  // What sources bring from here on, where integrators on faces let it flow.
  virtual void set_inflows(const std::vector<SourceInflow>& flows) = 0;
  virtual void time_stages(bool on) = 0;

  virtual StepControl control() = 0;
  // Whether a step has failed before its end, and has left no state.
  virtual bool is_half_way() const = 0;
  virtual void begin_frame() = 0;  // clears what is counted per frame
  virtual Totals totals() = 0;
  // What the integrator says of the frame: energies of stages, solves.
  virtual void report(FrameStats& stats) = 0;
  virtual std::vector<ColliderReaction> reactions() = 0;
  virtual std::vector<ColliderReaction> contacts() = 0;  // see FrameStats
  virtual std::vector<ColliderState> colliders() = 0;
  virtual void set_collider_motion(std::size_t collider, const Keyframes& motion) = 0;
  virtual StageTimes times() = 0;
  virtual EnqueueStats enqueued() const = 0;
  virtual Snapshot snapshot(const SnapshotParts& parts) = 0;
  virtual Snapshot tracers() = 0;
  virtual std::size_t memory_bytes() const = 0;
  virtual std::int64_t grown() const = 0;
  virtual std::string device_name() const = 0;

  virtual void save(ByteWriter& out) = 0;
  // Whether particles and boundaries of a saved state are those of this scene, before anything is
  // changed; ids of particles must be below `id_end`. Throws Error{kFile}.
  virtual void require_fit(ByteReader in, std::uint32_t id_end) = 0;
  // One that fits. Throws Error{kFile}; the state is then no longer meaningful.
  virtual void load(ByteReader& in) = 0;
};

// Throws Error{kDevice} if the device is not there.
std::unique_ptr<Stepper> make_stepper(const Scene& scene, const RunOptions& options,
                                      ParticleNamer namer);

}  // namespace firn
