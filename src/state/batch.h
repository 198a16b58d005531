// Particles on their way from a shape to the device: the initial fill of a body, its tracers. What
// sources bring is in source_flow.h.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firn/scene.h"
#include "src/scene/sampling.h"
#include "src/state/initial_stress.h"

namespace firn {

// Particles of one material. Velocities are fields around each position: value and gradient, so
// that the affine modes start right (starting APIC with C = 0 would cost one PIC step of damping).
struct ParticleBatch {
  std::uint32_t material = 0;
  double mass = 0,
         volume = 0;      // of each particle, kg and m^3: at rest, or under `initial` as it is
  double stretch = 1;     // F = stretch * I, or, where stretches differ, that of the densest
  InitialStress initial;  // of each particle; empty: all have the stretch, and no stress yet
  std::vector<Vec3> position;
  std::vector<Vec3> velocity;
  std::vector<std::array<double, 9>> gradient;  // row-major 3x3; empty: zero everywhere
  std::vector<double> temperature;              // K; empty unless the scene has temperatures
  std::optional<Phase> phase;                   // as the scene has it
};

// m^3, of the i-th particle without stress.
inline double volume_at_rest(const ParticleBatch& batch, std::size_t i) {
  if (batch.initial.stretches.empty()) return batch.volume;
  return batch.volume / batch.initial.volume_ratios[i];
}

// The mass of its particles over that of their volume at rest at `density`, kg/m^3, at least:
// exactly 1 where they differ by rounding alone.
inline double relative_density(const ParticleBatch& batch, double density) {
  double volume = batch.volume;
  for (std::size_t i = 0; i < batch.initial.stretches.size(); ++i)
    volume = std::max(volume, volume_at_rest(batch, i));
  const double ratio = batch.mass / (volume * density);
  return std::abs(ratio - 1) < 1e-6 ? 1 : ratio;
}

// Whether all of a body starts with one velocity: its batch then has no gradients.
bool is_uniform(const Body& body);

// The particles that fill a body at the start.
ParticleBatch fill_body(const Scene& scene, std::size_t body, const SamplingWatch& watch = {});

// The tracers that a body holds at the start; none where Scene::tracers does not fill it.
std::vector<Vec3> fill_tracers(const Scene& scene, std::size_t body);

// What a body or a source wants, or 2^d.
double particles_per_cell(double wanted, int dimension);

// Gives the particles that `owner` places their temperatures, where the scene has any. Those at
// which they cannot have the phase it says are refused, as the scene reader refuses it of
// constants.
void warm(const Scene& scene, const std::string& owner, const ScalarField& temperature,
          ParticleBatch& batch);

}  // namespace firn
