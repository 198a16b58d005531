#include "python/particles.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace firn::python {
namespace {

template <std::size_t N>
std::vector<std::array<double, N>> rows(const InputArray<double, 2>& array) {
  if (array.shape(1) != N)
    throw Error(ErrorCategory::kScene, "rows of " + std::to_string(N) + " numbers are expected");
  std::vector<std::array<double, N>> rows(array.shape(0));
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(array.data() + N * i, N, rows[i].begin());
  return rows;
}
std::vector<double> numbers(const InputArray<double, 1>& array) {
  return {array.data(), array.data() + array.shape(0)};
}

std::optional<Phase> phase_of(const std::optional<std::string>& name) {
  if (!name) return {};
  if (*name == "solid") return Phase::kSolid;
  if (*name == "liquid") return Phase::kLiquid;
  throw Error(ErrorCategory::kScene,
              "phase must be \"solid\" or \"liquid\", found \"" + *name + "\"");
}

}  // namespace

HostArray add_particles(Session& session, const std::string& material,
                        const InputArray<double, 2>& position,
                        const MaybeArray<double, 2>& velocity,
                        const MaybeArray<double, 2>& velocity_gradient,
                        const MaybeArray<double, 1>& temperature,
                        const std::optional<std::string>& phase, std::optional<double> volume,
                        std::optional<double> mass) {
  Simulation& simulation = session.changing();
  NewParticles particles;
  particles.material = material;
  particles.position = rows<3>(position);
  if (velocity) particles.velocity = rows<3>(*velocity);
  if (velocity_gradient) particles.velocity_gradient = rows<9>(*velocity_gradient);
  if (temperature) particles.temperature = numbers(*temperature);
  particles.phase = phase_of(phase);
  particles.volume = volume;
  particles.mass = mass;
  std::vector<std::uint32_t> ids = simulation.add_particles(particles);
  const std::size_t n = ids.size();
  return array_of(std::move(ids), {n});
}

void remove_particles(Session& session, const InputArray<std::uint32_t, 1>& ids) {
  session.changing().remove_particles({ids.data(), ids.shape(0)});
}

void set_collider_motion(Session& session, const std::variant<std::uint32_t, std::string>& collider,
                         const InputArray<double, 1>& times,
                         const InputArray<double, 2>& translation,
                         const InputArray<double, 2>& rotation,
                         const InputArray<double, 1>& pivot) {
  Simulation& simulation = session.steering();
  Keyframes keys;
  keys.times = numbers(times);
  keys.translation = rows<3>(translation);
  keys.rotation = rows<3>(rotation);
  if (pivot.shape(0) != keys.pivot.size())
    throw Error(ErrorCategory::kScene, "pivot: 3 numbers are expected");
  std::copy_n(pivot.data(), keys.pivot.size(), keys.pivot.begin());
  std::visit([&](const auto& which) { simulation.set_collider_motion(which, keys); }, collider);
}

}  // namespace firn::python
