#include "src/state/new_particles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "firn/error.h"
#include "kernels/fields/blocks.h"
#include "src/scene/findings.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/particle_range.h"
#include "src/scene/phases.h"

namespace firn {

namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error(ErrorCategory::kScene, "add_particles: " + message);
}

std::size_t material_index(const Scene& scene, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Material& m : scene.materials) {
    if (m.name == name) return names.size();
    names.push_back(m.name);
  }
  refuse(fmt::format("the scene has no material \"{}\"{}", name, scene::suggestion(name, names)));
}

void require_length(std::size_t given, std::size_t particles, const char* what) {
  if (given != 0 && given != particles)
    refuse(
        fmt::format("{} positions and {} {}; give one for each, or none", particles, given, what));
}

std::string place_of(std::size_t i, const Vec3& x, std::size_t dimension) {
  return fmt::format(
      "particle {} at [{}]", i,
      fmt::join(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(dimension), ", "));
}

class Checks {
 public:
  explicit Checks(const Scene& scene)
      : scene_(scene), dimension_(static_cast<std::size_t>(scene.simulation.dimension)) {}

  void position(std::size_t i, const Vec3& x) const {
    finite(i, x, "position");
    const double reach =
        scene_.grid.dx *
        static_cast<double>(dimension_ == 2 ? BlockTraits<2>::kMaxCell : BlockTraits<3>::kMaxCell);
    for (std::size_t a = 0; a < dimension_; ++a) {
      if (!(std::abs(x[a]) < reach))
        refuse(place_of(i, x, dimension_) + " is further out than the grid reaches");
      if (const auto& domain = scene_.grid.domain;
          domain && (x[a] < domain->min[a] || x[a] > domain->max[a]))
        refuse(place_of(i, x, dimension_) + " is outside the domain");
    }
  }
  // As a position and a velocity have to be.
  void finite(std::size_t i, const Vec3& v, const char* what) const {
    for (const double c : v)
      if (!holds(c)) refuse(fmt::format("the {} of particle {} is {}", what, i, unheld(c)));
    if (dimension_ == 2 && v[2] != 0)
      refuse(fmt::format("the {} of particle {} has a third component, {}, in a scene in 2D", what,
                         i, v[2]));
  }
  void temperature(std::size_t i, const NewParticles& particles, const Material& material) const {
    const double T = particles.temperature[i];
    if (!(holds(T) && T > 0))
      refuse(fmt::format("the temperature of particle {} is {}; it must be above 0 K", i, T));
    if (!particles.phase) return;
    if (const auto conflict = phase_conflict(material, *particles.phase, T))
      refuse(place_of(i, particles.position[i], dimension_) + ": " + *conflict);
  }
  // What the scene has no use for, or cannot do without.
  void heat(const NewParticles& particles) const {
    const bool has = !particles.temperature.empty();
    if (scene_.solves_heat() && !has && !particles.position.empty())
      refuse("particles of this scene have temperatures; give one for each");
    if (!scene_.solves_heat() && has) refuse("nothing in this scene has a temperature");
    if (!traits_of(scene_).unified && particles.phase)
      refuse("particles have a phase only where integrator = \"thermal\"");
  }
  double amount(const std::optional<double>& given, double otherwise, const char* what) const {
    if (given && !(std::isfinite(*given) && *given > 0))
      refuse(fmt::format("a {} of {}; it must be positive", what, *given));
    const double value = given.value_or(otherwise);
    const double most = most_of_particle(scene_);
    if (value > most || value < 1 / most)
      refuse(fmt::format("a {} of {} is beyond what a run can sum", what, value));
    return value;
  }
  void gradient(std::size_t i, const std::array<double, 9>& g) const {
    for (std::size_t k = 0; k < g.size(); ++k) {
      if (!holds(g[k]))
        refuse(fmt::format("the velocity gradient of particle {} is {}", i, unheld(g[k])));
      if (dimension_ == 2 && g[k] != 0 && (k % 3 == 2 || k / 3 == 2))
        refuse(fmt::format(
            "the velocity gradient of particle {} has a third component, {}, in a scene in 2D", i,
            g[k]));
    }
  }
  void mass(const NewParticles& particles) const {
    if (particles.mass && traits_of(scene_).staggered)
      refuse(
          "particles have no mass of their own where integrator = \"incompressible\" or "
          "\"thermal\"; give a volume");
  }

 private:
  // Whether the scene's precision has it.
  bool holds(double v) const {
    return single() ? std::abs(v) <= double{std::numeric_limits<float>::max()} : std::isfinite(v);
  }
  std::string unheld(double v) const {
    return std::isfinite(v) ? fmt::format("{}, more than single precision holds", v) : "not finite";
  }
  bool single() const { return scene_.simulation.precision == Precision::kSingle; }

  const Scene& scene_;
  std::size_t dimension_;
};

}  // namespace

ParticleBatch checked_batch(const Scene& scene, const NewParticles& particles) {
  const Checks check(scene);
  const std::size_t index = material_index(scene, particles.material),
                    n = particles.position.size();
  const Material& material = scene.materials[index];
  require_length(particles.velocity.size(), n, "velocities");
  require_length(particles.velocity_gradient.size(), n, "velocity gradients");
  require_length(particles.temperature.size(), n, "temperatures");
  check.heat(particles);
  check.mass(particles);
  for (std::size_t i = 0; i < n; ++i) {
    check.position(i, particles.position[i]);
    if (!particles.velocity.empty()) check.finite(i, particles.velocity[i], "velocity");
    if (!particles.temperature.empty()) check.temperature(i, particles, material);
  }
  for (std::size_t i = 0; i < particles.velocity_gradient.size(); ++i)
    check.gradient(i, particles.velocity_gradient[i]);

  ParticleBatch batch;
  batch.material = static_cast<std::uint32_t>(index);
  batch.volume = check.amount(particles.volume,
                              std::pow(scene.grid.dx / 2, scene.simulation.dimension), "volume");
  batch.mass = check.amount(particles.mass, batch.volume * material.density, "mass");
  batch.position = particles.position;
  batch.velocity = particles.velocity;
  batch.velocity.resize(n);
  batch.gradient = particles.velocity_gradient;
  batch.temperature = particles.temperature;
  batch.phase = particles.phase;
  return batch;
}

}  // namespace firn
