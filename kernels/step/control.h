// The control block: what a step needs to know about itself, in device memory, so that the host can
// enqueue several steps without asking how the last one went. While `stop` is not 0 every launch of
// a step does nothing.
#pragma once

#include <cstdint>

#include "kernels/base/host_device.h"

namespace firn {

inline constexpr int kMaxMaterials = 64;

enum StopFlag : std::uint32_t {
  kStopTarget = 1,    // the target time is reached
  kStopOverflow = 2,  // blocks or chunks do not fit; nothing was lost, the host grows them and the
                      // step runs again
  kStopDiverged = 4,  // see `fault`
  kStopUnsolved = 8,  // a solver missed its tolerance: the step is to run again, shorter
  kStopField = 16,    // an expression of the scene has no value where one is needed
  kStopForce = 32,    // forces are too strong for this dt: the step is to run again, shorter
};

enum class Fault : std::uint32_t {  // in the order of how early in a step it is seen
  kNone = 0,
  kAcceleration,   // of a force, before the step is made: not finite, or the velocity with it
  kPositionRange,  // not finite, or outside the addressable grid
  kVelocity,       // not finite after the gather
  kDeformation,    // F, J or the plastic state not finite
  kInverted,       // J <= 0 where the material forbids it
  kTemperature,    // not above absolute zero, or not finite
  kTimeStep,       // the stable step is below dt_min
};

// Which bound set a step; the order of firn::DtLimit.
enum class StepLimit : std::uint32_t {
  kNone,
  kVelocity,
  kWaveSpeed,
  kViscosity,
  kSolver,
  kForce,
  kMaximum,
  kFrameEnd
};
inline constexpr int kStepLimits = 8;

struct StepControl {
  std::uint32_t stop;
  // While not 0, parts of a step do nothing: finding a new layout and what follows from it, and
  // bringing the particles' momentum to the grid. A layout moves the particles to the other bank
  // (fields/particles.h) or permutes them where they are. Raised with every flag of `stop` (see
  // raise).
  std::uint32_t skip_layout, skip_particles, skip_bank_change, skip_permute;
  // Of a layout: finding it from the old one (grid/near_layout.inl), or by sorting all particles.
  std::uint32_t skip_near, skip_sort;
  // Of the kick by forces beside gravity: whether it is given elsewhere in the step, or has been.
  std::uint32_t skip_kick;
  std::uint32_t kicked;  // this step's kick is on the grid
  // Sizes of the current layout, and what the last rebuild asked for.
  std::uint32_t n_blocks, n_chunks, n_slots, n_bins, n_particles;
  std::uint32_t first_chunk;    // of the bank that holds the particles
  std::uint32_t placed_chunks;  // those that the tables of the last layout know
  std::uint32_t old_bins;       // of the layout before, while a new one is found
  std::uint32_t left;           // whether a particle has left its block since
  std::uint32_t needed_blocks, needed_chunks;
  std::uint32_t removed;  // particles taken by sinks, since the start

  // Fused steps (transfer/transfer.h).
  std::uint32_t fuse;          // this step's gather also scatters for the next one
  std::uint32_t carried;       // the last one did: the grid holds this step's momentum
  std::uint32_t velocities;    // and leaves the particles' velocities with them as well
  std::uint32_t grid_saved;    // and it lies in the grid's spare, in the order of the old layout
  std::uint32_t late;          // particles that went too far to be scattered with the others
  std::uint32_t saved_blocks;  // of that old layout
  double overshoot;            // cells that a particle is away from its home block, at most

  // Smallest (fault, particle id) seen, packed by pack_fault; ~0 without a fault.
  std::uint64_t fault;

  StepLimit limit;               // of the current step
  std::uint32_t limit_material;  // for kWaveSpeed and kViscosity
  double time, target, dt;
  double previous_dt;  // of the step that produced the particles' coefficients
  // Explicit steps choose dt a step ahead: a fused step scatters with the next one's. `ahead` is
  // the bound (0: none yet), next_dt what fits before the target.
  double ahead, next_dt;
  StepLimit ahead_limit, next_limit;
  std::uint32_t ahead_material;
  std::uint64_t last_step;   // the step that must not be fused with the next
  double retry_dt;           // bound of a step that runs again after kStopUnsolved, else 0
  std::uint64_t step;        // since the start
  std::uint64_t layouts;     // times that particles were brought into a new layout
  std::uint64_t late_total;  // particles that were late

  // Since the last frame.
  std::uint64_t frame_steps;
  std::uint64_t limited[kStepLimits];
  double dt_smallest, dt_largest;
  // A bit for each material a particle of which is squeezed flat (materials/material.h).
  std::uint32_t squeezed[kMaxMaterials / 32];

  // Maxima over the particles, gathered by the last step for the next one.
  double speed_squared;                // m^2/s^2
  double force_squared;                // of the strongest acceleration by forces, m^2/s^4
  double wave_squared[kMaxMaterials];  // (P-wave speed)^2 at the material's density, m^2/s^2
  // Of each material the least mass that a particle has had, over that of its volume at the
  // material's density; 0 before there was any.
  double lightest[kMaxMaterials];
};

// Bounds of the step that do not change during a run.
struct StepLimits {
  double dx, cfl, cfl_material, dt_min, dt_max;
  double viscous_dt[kMaxMaterials];  // rho dx^2 / (4 d mu^N), infinity without viscosity
  std::uint32_t bounds_forces;  // a step is too long if forces alone move anything by cfl dx in it
  std::uint32_t materials;
};

// Raises flags of `stop`, from any thread.
template <class Device>
FIRN_HD inline void raise(const Device& device, StepControl* control, std::uint32_t flags) {
  device.atomic_or(control->stop, flags);
  device.atomic_or(control->skip_layout, flags);
  device.atomic_or(control->skip_particles, flags);
  device.atomic_or(control->skip_bank_change, flags);
  device.atomic_or(control->skip_permute, flags);
  device.atomic_or(control->skip_near, flags);
  device.atomic_or(control->skip_sort, flags);
  device.atomic_or(control->skip_kick, flags);
}

FIRN_HD inline std::uint64_t pack_fault(Fault fault, std::uint32_t particle) {
  return (static_cast<std::uint64_t>(fault) << 32) | particle;
}

}  // namespace firn
