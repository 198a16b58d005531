#include "src/run/energy_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "firn/error.h"
#include "src/scene/integrator_traits.h"

namespace firn {
namespace {

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Gravity lifts nothing round a periodic axis without a jump of the potential energy.
bool potential_is_unique(const Scene& scene) {
  if (!scene.grid.domain) return true;
  for (std::size_t a = 0; a < 3; ++a)
    if (scene.grid.domain->boundary[2 * a] == BoundaryType::kPeriodic &&
        scene.simulation.gravity[a] != 0)
      return false;
  return true;
}

double lowest_potential(const Scene& scene) {
  double lowest = 0;
  if (!scene.grid.domain) return lowest;
  for (std::size_t a = 0; a < 3; ++a) {
    const double g = scene.simulation.gravity[a];
    lowest -= std::max(g * scene.grid.domain->min[a], g * scene.grid.domain->max[a]);
  }
  return lowest;
}

// What lessens a gain, of what the scene has not done already.
const char* remedy_for(const Scene& scene) {
  const bool stiffens =
      std::any_of(scene.materials.begin(), scene.materials.end(),
                  [](const Material& m) { return !m.youngs_modulus_of_temperature.empty(); });
  if (stiffens)
    return "a youngs_modulus that follows the temperature gives energy to what is strained";
  // Long steps are short of accuracy before their speeds limit them.
  if (traits_of(scene).implicit)
    return "where that is too much, a smaller time.dt_max or implicit.tolerance helps";
  const bool apic = scene.transfer.type == TransferType::kApic;
  if (traits_of(scene).staggered)
    return apic ? "where that is too much, a smaller time.cfl helps"
                : "where that is too much, a smaller time.cfl or a transfer that damps (apic, a "
                  "smaller blend) helps";
  return apic ? "where that is too much, a smaller time.cfl_material (waves) or time.cfl (speeds) "
                "helps"
              : "where that is too much, a smaller time.cfl_material (waves) or time.cfl (speeds) "
                "helps, or a transfer that damps (apic, a smaller blend)";
}

}  // namespace

EnergyWatch::EnergyWatch(const Scene& scene)
    : scene_(&scene),
      measures_(scene.output.diagnostics != DiagnosticsLevel::kOff && potential_is_unique(scene)),
      datum_(lowest_potential(scene)) {}

void EnergyWatch::emitted(const ParticleBatch& batch) {
  double sum = 0;
  for (std::size_t i = 0; i < batch.position.size(); ++i)
    sum += 0.5 * dot(batch.velocity[i], batch.velocity[i]) -
           dot(scene_->simulation.gravity, batch.position[i]) - datum_;
  balance_.fed += batch.mass * sum;
}

void EnergyWatch::measure(FrameStats& stats) {
  if (!measures_) {
    stats.energy = balance_;
    return;
  }
  const Totals& t = stats.totals;
  balance_.fed += stats.source_work + stats.force_work;
  for (const ColliderReaction& r : stats.reactions) balance_.fed += r.power;
  double moving = t.kinetic + t.elastic, energy = moving + t.potential - t.mass * datum_;
  double mass = t.mass;
  for (const ColliderState& s : stats.colliders) {
    moving += s.kinetic;
    energy += s.kinetic + s.potential - s.mass * datum_;
    mass += s.mass;
  }
  if (std::isfinite(energy)) {
    const double balance = energy - balance_.fed;
    const bool lost_sight = !scene_->grid.domain && stats.removed != removed_;
    if (lost_sight) start_anew();
    lowest_ = std::min(lowest_, balance);
    balance_.gained = balance - lowest_;
    // Less than that is round-off, or a surface that moves within its cells.
    constexpr double kLift = 4, kCreep = 1e-4;  // cells; cells per frame
    const Vec3& g = scene_->simulation.gravity;
    const double creep = kCreep * scene_->grid.dx * scene_->simulation.fps;
    const double least = mass * (std::sqrt(dot(g, g)) * kLift * scene_->grid.dx + creep * creep);
    largest_ = std::max({largest_, moving - balance_.gained, least});
    balance_.growth = largest_ > 0 ? balance_.gained / largest_ : 0;
  }
  removed_ = stats.removed;
  stats.energy = balance_;
}

void EnergyWatch::check(const FrameStats& stats) const {
  const DiagnosticsSettings& s = scene_->diagnostics;
  if (s.on_energy_growth != OnGrowth::kStop || !(balance_.growth > s.energy_growth)) return;
  throw Error(ErrorCategory::kDiverged,
              describe_growth(*scene_, balance_, stats.frame) +
                  "; the scene asks to stop there (diagnostics.on_energy_growth)",
              {stats.total_steps, stats.time, {}, {}, {}});
}

void EnergyWatch::save(ByteWriter& out) const {
  out.value(std::uint32_t{measures_});
  out.value(lowest_);
  out.value(largest_);
  out.value(removed_);
  out.value(balance_);
}

void EnergyWatch::load(ByteReader& in) {
  measures_ = in.value<std::uint32_t>() != 0;
  lowest_ = in.value<double>();
  largest_ = in.value<double>();
  removed_ = in.value<std::int64_t>();
  balance_ = in.value<EnergyBalance>();
}

std::string describe_growth(const Scene& scene, const EnergyBalance& balance, int frame) {
  return fmt::format(
      "energy has grown by {:.3g} % until frame {}: {:.3g} J that nothing has fed; {}",
      100 * balance.growth, frame, balance.gained, remedy_for(scene));
}

}  // namespace firn
