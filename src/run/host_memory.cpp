#include "src/run/host_memory.h"

#include <array>

#include "src/scene/integrator_traits.h"
#include "src/state/batch.h"
#include "src/state/channel_plan.h"
#include "src/state/scene_params.h"

namespace firn {
namespace {

using Components = std::array<double, kParticleChannels>;

template <int D>
Components components(const Scene& scene) {
  const ChannelPlan<D, float> plan(channel_needs(scene));
  Components list;
  for (std::size_t c = 0; c < list.size(); ++c) list[c] = plan.components(static_cast<int>(c));
  return list;
}

// Numbers per particle of each channel.
Components components_of(const Scene& scene) {
  return scene.simulation.dimension == 2 ? components<2>(scene) : components<3>(scene);
}
double size_of_real(const Scene& scene) {
  return scene.simulation.precision == Precision::kSingle ? sizeof(float) : sizeof(double);
}

}  // namespace

// Positions and velocities, gradients where they differ, temperatures, and one channel at a time in
// the store's layout.
double fill_bytes(const Scene& scene, const SceneEstimate& need) {
  const Components list = components_of(scene);
  const double widest = *std::max_element(list.begin(), list.end()) * size_of_real(scene);
  double most = 0;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const double gradient = is_uniform(scene.bodies[b]) ? 0 : 9 * sizeof(double);
    const double temperature = scene.solves_heat() ? sizeof(double) : 0;
    most = std::max(most, static_cast<double>(need.particles_per_body[b]) *
                              (2 * sizeof(Vec3) + gradient + temperature + widest));
  }
  return most;
}

// The state grows channel by channel, while each lies beside it once more.
double save_bytes(const Scene& scene, const SceneEstimate& need) {
  const Components list = components_of(scene);
  double per_slot = sizeof(std::uint32_t);
  for (double reals : list) per_slot += reals * size_of_real(scene);
  const auto tracers = static_cast<double>(need.tracer_bytes);
  const double slots = (static_cast<double>(need.state_bytes) - tracers) / per_slot;
  MemoryTally tally;
  const auto save = [&](double bytes) {
    tally.pass(2 * bytes);
    tally.hold(bytes);
  };
  save(slots * sizeof(std::uint32_t));
  for (double reals : list) save(slots * reals * size_of_real(scene));
  save(tracers);
  return tally.peak();
}

// Ids and the order of slots stay until the end; each channel is copied whole and then picked in
// that order.
MemoryTally snapshot_bytes(const Scene& scene, const SceneEstimate& need,
                           const SnapshotParts& parts) {
  const Components list = components_of(scene);
  const auto n = static_cast<double>(need.particles);
  const double square = scene.simulation.dimension * scene.simulation.dimension;
  const double order = n * 2 * sizeof(std::uint32_t);
  MemoryTally tally;
  tally.hold(order + n * (sizeof(std::uint32_t) + sizeof(std::uint16_t)));
  const auto copy = [&](ParticleChannel c, double shown) {
    tally.pass(n * (list[c] * size_of_real(scene) + shown * sizeof(float)));
    tally.hold(n * shown * sizeof(float));
  };
  for (const ChannelRow& row : kParticleTable) {
    if (row.shown == nullptr || list[row.channel] == 0) continue;
    if (row.asked != nullptr && !(parts.*row.asked)) continue;
    copy(row.channel, row.shown_components > 0 ? row.shown_components : list[row.channel]);
  }
  if (scene.solves_heat()) {
    tally.pass(n * (list[kHeat] * size_of_real(scene) + sizeof(float) + sizeof(std::uint16_t)));
    tally.hold(n * (sizeof(float) + sizeof(std::uint16_t)));
  }
  const bool stress = (parts.kirchhoff_stress || parts.pressure) && list[kStress] > 0;
  if (stress) {
    copy(kStress, list[kStress]);
    tally.hold(n * (square - list[kStress]) * sizeof(float));
    tally.pass(n * list[kStress] * sizeof(float));
  }
  if (parts.pressure) {
    if (traits_of(scene).staggered) tally.pass(n * size_of_real(scene));
    tally.hold(n * sizeof(float));
  }
  if (stress && !parts.kirchhoff_stress) tally.hold(-n * square * sizeof(float));
  tally.hold(-order + n * sizeof(std::uint16_t));  // the bodies
  return tally;
}

}  // namespace firn
