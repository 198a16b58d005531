// The simulation: particles and grid of one scene on one backend, advanced frame by frame.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "firn/fields.h"
#include "firn/scene.h"
#include "firn/stats.h"

namespace firn {

enum class Device { kAuto, kCpu, kCuda };

struct RunOptions {
  Device device = Device::kAuto;
  int threads = 0;  // CPU: 0 = all
  // CUDA: which of cuda_devices(). Refused with Error{kDevice}, which names them, where it is none
  // of them, and where the CPU runs and this is not 0.
  int device_index = 0;
};

// How far a simulation that is being made is with filling the bodies of its scene with particles.
struct Filling {
  std::size_t body = 0, bodies = 0;  // the one it is at, of how many
  double part = 0;                   // of the work on that one, in [0, 1]
  std::int64_t particles = 0;        // so far, of all bodies
};

// Particle data on the host, ordered by particle id. Vector channels have `dimension` components
// per particle.
struct Snapshot {
  int dimension = 3;
  std::vector<std::uint32_t> id{};
  std::vector<float> position{}, velocity{};  // n * dimension
  std::vector<std::uint16_t> material{};
  std::vector<std::uint16_t> body{};  // sources count on after bodies, and add_particles after them
  std::vector<float> mass{}, volume{};        // kg, m^3 (rest)
  std::vector<float> deformation_gradient{};  // n * dimension^2, row-major (elastic part)
  std::vector<float> plastic_state{};         // n: see output.channels
  std::vector<float> kirchhoff_stress{};      // n * dimension^2, Pa
  // n: Pa; explicit: -tr(kirchhoff_stress) / d; else what the projection of the last step has
  // solved for, 0 before the first one and after a state was loaded, or particles were added or
  // removed
  std::vector<float> pressure{};
  std::vector<float> temperature{};    // n: K; empty unless Scene::solves_heat()
  std::vector<std::uint16_t> phase{};  // n: Phase as a number; likewise
  double dx = 0;                       // grid spacing, m
  Vec3 period{};                       // lengths of the periodic axes, m; 0: not periodic
  std::size_t size() const { return id.size(); }
};

// What is not asked for is left empty; the tensors are most of a snapshot.
struct SnapshotParts {
  bool deformation_gradient = true, kirchhoff_stress = true, pressure = true;
};

// A step that was made.
struct StepInfo {
  std::int64_t step = 0;  // how many that makes since the start
  int frame = 0;          // frames completed before it
  double time = 0;        // s, at its end
  double dt = 0;          // s
  DtLimit limited_by = DtLimit::kNone;
  std::int64_t particles = 0;
  double max_speed = 0;  // m/s, at its end, of particles and dynamic colliders
};

// Callbacks of a call that advances a simulation, any of which may be empty. They come on the
// thread of that call, between two steps, and change no bit of what is computed. They may read the
// simulation and save its state, not advance it. What they throw leaves the call, and the
// simulation as if it had been stopped there.
struct Observer {
  // Polled between steps, on CUDA some 20 times a second, in a pause made for it: true stops.
  std::function<bool()> interrupted{};
  // After every step, also on CUDA, where the host then waits for each one instead of running
  // ahead: meant for small scenes there. False stops.
  std::function<bool(const StepInfo&)> step{};
  // After every completed frame. False stops.
  std::function<bool(const FrameStats&)> frame{};
};

// Particles of one material for Simulation::add_particles, at rest in their material: F = 1, no
// plastic flow yet. Lists are empty or have one entry for each position. In 2D third entries are 0.
struct NewParticles {
  std::string material{};        // its name
  std::vector<Vec3> position{};  // m
  std::vector<Vec3> velocity{};  // m/s; empty: at rest
  // d velocity_a / d x_b at [3 a + b], 1/s, for affine transfers; empty: 0
  std::vector<std::array<double, 9>> velocity_gradient{};
  std::vector<double> temperature{};  // K; where Scene::solves_heat(), and only there
  std::optional<Phase> phase{};       // thermal only; none: by temperature, as of a body
  // Of each particle. Without a volume that of 2^d particles per cell, without a mass that of the
  // density; a mass of its own not where a projection takes the density for granted.
  std::optional<double> volume{};  // m^3 at rest, in 2D m^2
  std::optional<double> mass{};    // kg
};

// What `firn info` prints; needs no device.
struct SceneEstimate {
  std::int64_t particles = 0, blocks = 0, tracers = 0;
  std::size_t particle_bytes = 0, grid_bytes = 0, scratch_bytes = 0, tracer_bytes = 0;
  std::size_t state_bytes = 0;  // of one saved state, before compression
  double dt_limit = 0;          // of the first step, s
  // The same where all snow is crushed as far as its law lets it be: what a step may come down to.
  double dt_hardened = 0;
  DtLimit limited_by = DtLimit::kNone;
  std::string limiting_material{};
  std::vector<std::int64_t> particles_per_body{};
  Vec3 bounds_min{}, bounds_max{};
  bool exact = true;  // false: particles, blocks and bytes are known to some per cent only
};

// Threads: different simulations may be made, used and destroyed on different threads at the same
// time, on the CPU and on CUDA. One simulation belongs to one thread at a time, const members
// included; it may move from thread to thread. load_scene, parse_scene and estimate may be called
// on several threads at once.
//
// On the CPU a simulation has OpenMP share its loops out to RunOptions::threads threads, the
// calling one among them, whatever OMP_NUM_THREADS says; each thread that calls has a team of its
// own, so simulations that run at once should divide the cores among them. Results do not depend on
// the number of threads, nor on what else runs. In a parallel region of the caller's, where OpenMP
// by default grants no more threads, a simulation runs on one. OpenMP's threads wait for work by
// spinning unless OMP_WAIT_POLICY=passive is set, which is slower where nothing else runs and much
// faster where anything does.
class Simulation {
 public:
  // Samples the bodies and allocates. Throws Error{kDevice} if the device is missing or memory does
  // not suffice, Error{kScene} for what validate() refuses, for a body that finds no place, and if
  // the scene has no particles, no source and no collider with a mass. `filling` is called
  // time and again while bodies are filled, which takes large ones long, on the thread of this
  // call; what it throws leaves the call.
  Simulation(const Scene& scene, const RunOptions& options,
             const std::function<void(const Filling&)>& filling = {});
  ~Simulation();
  // One that has been moved from can be assigned to and destroyed; all else throws Error{kScene}.
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  // All of these return true once they are where they were to go, and false if a callback stopped
  // them before, at a step's end, from where they can be called again. They throw Error{kDiverged}
  // naming particle, quantity, material and step (see Error::divergence); the last frame stands,
  // and what asks for the state throws Error{kScene} then, until load_state brings one.

  // To the end of the next frame (exactly, t = frame / fps).
  bool advance_frame(const std::function<bool()>& interrupted = {});
  bool advance_frame(const Observer& observer);
  // To the time `t` (s, exactly; behind a callback's stop between fused steps up to a step beyond),
  // through all frames that end by then; until something stops it if t is infinite. A time within a
  // millionth of a frame of a frame's end means that end. Throws Error{kScene} if t is past, by
  // more than such a step.
  bool advance_until(double t, const Observer& observer = {});
  // So many steps of the scene's own dt, cut only where a source emits. Frames that end on the way
  // count as completed and have no state or callback of their own; advance_frame then goes to the
  // end of the one that has begun. stats() tells of these steps.
  bool advance_steps(std::int64_t steps, const Observer& observer = {});

  double time() const;  // s, simulated, of the state as it is now

  FrameStats stats() const;  // of the last completed frame; at the start, of the initial state
  // Copies from the device. Where a callback runs or has stopped a call, velocities and stresses
  // may still lie on the grid: these, and pressures, are then empty.
  // advance_steps(1) brings them back.
  Snapshot snapshot(const SnapshotParts& parts = {}) const;
  // The massless points of Scene::tracers in the order in which they were made, body by body:
  // position (m), id, body and material; others are empty. Sinks and open faces take them away.
  Snapshot tracers() const;
  // What the colliders have been given since the last frame's end; at that end what they were in
  // the frame, until a step is made.
  std::vector<ColliderImpulse> collider_impulses() const;
  // The same of the materials by those that they touch, see FrameStats::contacts.
  std::vector<ColliderImpulse> contact_impulses() const;
  // Where the colliders are now, in the scene's order; known also where snapshot() has no
  // velocities.
  std::vector<ColliderState> colliders() const;
  Totals totals() const;  // where snapshot() has no velocities, momenta and kinetic are NaN
  std::string device_name() const;  // e.g. "cpu (2 threads, AVX-512)" or "cuda: NVIDIA H200"
  bool on_cuda() const;

  // The complete state as bytes, and back. A simulation that loads what another one of the same
  // scene saved goes on exactly as that one would have (bitwise where runs repeat). Throws
  // Error{kFile} if they are damaged or of another kind of scene, which changes nothing.
  std::vector<std::byte> save_state() const;
  void load_state(const std::vector<std::byte>& bytes);

  // Fields of the particles: what there is, one of them where it lies, and a copy on the host.
  //
  // A view holds until the next call that advances, adds, removes, loads, or moves or ends the
  // simulation. Positions are as steps keep them: on periodic axes up to two cells beyond the
  // domain. A copy has the particles in the order of their ids, all components of one after the
  // other, in T = float, double or std::uint32_t, whichever takes in what is stored without loss:
  // doubles of a scene in double precision are not for T = float.
  // All throw Error{kScene} for a name that is not in fields(), which the message lists; for what T
  // cannot hold; and for velocity and coefficients where a callback runs or has stopped a call and
  // they lie on the grid (see snapshot).
  std::vector<FieldInfo> fields() const;
  FieldView field_view(std::string_view name) const;
  template <class T>
  requires std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, std::uint32_t>
      std::vector<T> field(std::string_view name)
  const;

  // Adds particles, and returns their ids, which count on. The state is that of a simulation which
  // has had them from here on: it can be saved, and one that resumes goes on in the same way. Not
  // from a callback, and not where one has stopped a call between two fused steps: advance_steps(1)
  // ends them.
  //
  // Throws Error{kScene}, and nothing has changed, for a material that the scene does not have;
  // lists of another length than `position`; what is not finite, not within the domain (without
  // one: the grid's reach), or not 0 along z in 2D; masses, volumes, temperatures and phases that
  // are not to be given or contradict the material. Each message names the particle by its index.
  // Error{kDevice} where there are to be more than 2^32 ids, or where memory does not suffice; in
  // the latter case the state is no longer meaningful.
  std::vector<std::uint32_t> add_particles(const NewParticles& particles);

  // Takes particles out. Ids are not given again. Reads and writes all particles once on the host.
  // Throws Error{kScene}, and nothing has changed, for an id that no particle has (any more); and
  // where add_particles would.
  void remove_particles(std::span<const std::uint32_t> ids);

  // A force beside gravity, by the accelerations that it gives all particles in every step. Empty:
  // none. It is called on the thread that advances, with the simulation's device as the current
  // one; on CUDA the host waits for the device before each step then. With Memory::kNative kernels
  // for ForceStep's stream, in whose order all is done, can compute the accelerations where they
  // are needed. With another force the bits of a run are others; it is not part of a saved state.
  // What it throws leaves the call, and the state is then no longer meaningful. A first step with
  // one throws Error{kScene} where a callback has stopped the run between two fused steps.
  void set_force(Force force, Memory memory = Memory::kHost);

  // A boundary condition on the grid, behind the walls and colliders of the scene: it changes
  // velocities of nodes. What it gives the material in momentum is in no reaction. Otherwise as
  // set_force. Throws Error{kScene} unless integrator = "explicit": the velocities of the others
  // belong to a projection, or to an implicit solve.
  void set_grid_boundary(GridBoundary boundary, Memory memory = Memory::kHost);

  // Has a collider follow other key frames from the next step on, in absolute times. Nothing
  // smooths the change: where it is not to jump, the new ones begin where it is. Part of the saved
  // state. Throws Error{kScene} for one that is dynamic or not there, for key frames that
  // `validate` refuses, and from a force or boundary, in the middle of a step.
  void set_collider_motion(std::size_t collider, const Keyframes& motion);
  void set_collider_motion(const std::string& collider, const Keyframes& motion);

  // Whether to measure FrameStats::times on CUDA, too; off at the start. Explicit steps are then
  // launched one kernel at a time, which costs small scenes more than a captured graph.
  void time_stages(bool on);

  class Impl;

 private:
  Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

// kExact samples all bodies, as a simulation does. kQuick samples large ones thinly: it takes a
// second and few megabytes whatever the number of particles.
enum class EstimateMode { kExact, kQuick };
SceneEstimate estimate(const Scene& scene, EstimateMode mode = EstimateMode::kExact);

// Names of the usable CUDA devices, empty if there is none or the build has no CUDA.
std::vector<std::string> cuda_devices();
// Why there is none and how to mend that; empty if there is one.
std::string why_no_cuda_device();
bool built_with_cuda();

}  // namespace firn
