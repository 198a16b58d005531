// What a simulation reports of its frames: steps and what bounded them, sums over the particles,
// energy, solves, bodies, times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "firn/shape.h"

namespace firn {

// What set the length of a step; kForce: of forces beside gravity.
enum class DtLimit {
  kNone,
  kVelocity,
  kWaveSpeed,
  kViscosity,
  kSolver,
  kForce,
  kMaximum,
  kFrameEnd
};

struct Totals {  // sums over all particles, in double
  double mass = 0;
  Vec3 momentum{}, angular_momentum{}, center_of_mass{};
  double kinetic = 0, elastic = 0, potential = 0;  // J; kinetic: affine, polynomial modes, too
  double heat = 0;  // J, latent heat included, counted from solids at their melting points
  // m^3 (2D: m^2): the rest volumes times their volume ratios, plastic ones included; of
  // incompressible liquids as at rest (FrameStats::lost_volume tells of theirs)
  double volume = 0;
};

// What each stage of the steps since the last frame did (diagnostics = "stages"), J: to kinetic
// energy, of particles and nodes; plasticity: to elastic energy.
struct StageLedger {
  double p2g = 0, grid_forces = 0, boundary = 0, g2p = 0, plasticity = 0;
};

// Whether energy comes from nowhere (output.diagnostics not "off"): kinetic, elastic and potential
// energy of particles and dynamic colliders, less what was fed, may only fall. Not measured, and 0,
// where gravity acts along a periodic axis or the caller has forces or boundaries of its own.
struct EnergyBalance {
  double fed = 0;     // J since the start: by sources, and done by moved colliders and forces
  double gained = 0;  // J: how far the balance lies above its lowest value so far
  // That over the largest energy in motion and strain so far, which counts as no less than what
  // lifts all particles by four cells.
  double growth = 0;
};

// The solves of a linear system since the last frame.
struct SolverStats {
  std::int64_t solves = 0, iterations = 0, max_iterations = 0;
  double seconds = 0;            // wall time
  std::int64_t at_rounding = 0;  // that end as well as their precision can, above the tolerance
};

// The pressure solves since the last frame (integrator = "incompressible" or "thermal").
struct PressureStats : SolverStats {
  std::int64_t correction_iterations = 0, corrections_lost = 0;  // of densities; not found
  double max_divergence = 0;        // largest over cells and steps, after the projection, 1/s
  std::int64_t sealed_regions = 0;  // connected regions of fluid without air, in the last step
  double correction_seconds = 0;    // wall time of its solves
};

// The solves of integrator = "thermal" beside the pressure's.
struct ThermalStats {
  SolverStats heat{}, forces{};  // forces = "semi_implicit"; its pressures count as pressures
};

// All of ThermalStats by the names that reports give them.
struct ThermalSolver {
  const char* name;
  SolverStats ThermalStats::*stats;
};
inline constexpr ThermalSolver kThermalSolvers[] = {{"heat", &ThermalStats::heat},
                                                    {"forces", &ThermalStats::forces}};

// The steps of integrator = "optimization" since the last frame, by Newton's method; a solve is a
// step, also one that ran again.
struct ImplicitStats : SolverStats {
  std::int64_t linear_iterations = 0;  // of the conjugate gradients
  std::int64_t cuts = 0;               // halvings by the line search
  std::int64_t passes = 0;             // times that contacts were judged
  std::int64_t rejected = 0;           // steps that missed the tolerance
  std::int64_t looks = 0;              // times that the host waited for what a solve has come to
  // Of the last step: the imbalance sqrt(sum |impulse|^2 / mass) that is left, and the potential of
  // its guess and of its solution, J.
  double imbalance = 0, tolerance = 0;
  double energy_before = 0, energy_after = 0;
};

struct ColliderReaction {  // mean over the frame of what material, and bodies on it, exert on it
  Vec3 force{}, torque{};  // N, N m about the world origin
  double power = 0;        // W: what the body does to the material by moving; 0 of dynamic ones
};

// What a collider, or a material, has been given in some time, of which a ColliderReaction is the
// mean.
struct ColliderImpulse {
  Vec3 impulse{}, angular_impulse{};  // N s, N m s about the world origin
  double work = 0;                    // J
};

// Where a collider is and how it moves: a point x of the scene's shape is at
// rotation (x - pivot) + pivot + translation.
struct ColliderState {
  std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  // row-major
  Vec3 translation{}, pivot{};  // m; pivot of a dynamic one: its centre of mass in the scene
  Vec3 velocity{}, angular_velocity{};  // of the pivot's place, m/s; rad/s
  double time = 0;                      // s: when
  bool dynamic = false;     // material moves it (Collider::dynamics); what follows is 0 otherwise
  double mass = 0;          // kg
  Vec3 momentum{};          // kg m/s
  Vec3 angular_momentum{};  // about the world origin, kg m^2/s
  double kinetic = 0, potential = 0;  // J, the latter as of particles: of gravity, 0 at the origin
};

// Seconds of wall time since the last frame; on CUDA an explicit step has them only while
// Simulation::time_stages is on. A fused step is g2p, constitutive and the next p2g in one pass.
struct StageTimes {
  double rebuild = 0, p2g = 0, grid = 0, g2p = 0, constitutive = 0, fused = 0, other = 0;
};

// How steps reached a CUDA device since the last frame. Zero on the CPU, and for steps that wait
// for the device's answer.
struct EnqueueStats {
  double seconds = 0;         // wall time that this took the host
  std::int64_t steps = 0;     // also those that found the frame complete or the grid too small
  std::int64_t replayed = 0;  // of these, launched as one captured graph
};

// Since the last frame, unless it says otherwise. Simulation::advance_steps counts as a frame here.
struct FrameStats {
  int frame = 0;           // frames completed
  double time = 0;         // s, simulated
  std::int64_t steps = 0;  // since the last frame
  std::int64_t total_steps = 0;
  double dt_min = 0, dt_max = 0, dt_last = 0;  // over the steps of the frame
  DtLimit limited_by = DtLimit::kNone;         // the limit that set most steps of the frame
  std::string limiting_material{};             // for kWaveSpeed and kViscosity
  std::int64_t particles = 0, blocks = 0, chunks = 0;
  // Since the start: by sources; by sinks, open faces and remove_particles; by add_particles.
  std::int64_t emitted = 0, removed = 0, added = 0;
  std::int64_t grown = 0;    // how often the grid or the particle storage grew
  std::int64_t layouts = 0;  // how often particles were brought into a new order, since the start
  std::int64_t late = 0;  // particles that a fused step handled apart: they went more than a cell
  std::size_t memory_bytes = 0;  // of particles, grid and scratch
  double max_speed = 0;          // m/s, of particles and dynamic colliders
  double wall_seconds = 0;
  StageTimes times{};
  EnqueueStats enqueued{};
  Totals totals{};
  EnergyBalance energy{};
  // Of liquids, where particles lie too close; some tenths of a per cent are unevenness at rest.
  double lost_volume = 0;
  std::vector<int> squeezed{};  // fixed_corotated materials of which some is flat (|J| < 1e-3)
  double source_work = 0, force_work = 0;  // J: of pressure on what sources bring; of `forces`
  StageLedger stages{};
  PressureStats pressure{};
  ImplicitStats implicit{};
  ThermalStats thermal{};
  SolverStats viscosity{};  // of integrator = "incompressible"; its pressures count as pressures
  std::vector<ColliderReaction> reactions{};  // one per collider
  // One per material, none without Scene::contacts: what others do to it where it touches them, the
  // power being what that adds to its kinetic energy; 0 of those that touch none.
  std::vector<ColliderReaction> contacts{};
  std::vector<ColliderState> colliders{};  // one each, at the end of the frame; not in `totals`
};

}  // namespace firn
