// The thermal part of `firn info`, as text and as JSON.
#include "src/app/info_thermal.h"

#include <fmt/format.h>

#include <cmath>

#include "src/app/names.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/phases.h"
#include "src/scene/stiffness_curve.h"

namespace firn::app {
namespace {

std::string in_kelvin(const ScalarField& field) {
  return field.expression.empty() ? fmt::format("{:g} K", field.constant)
                                  : fmt::format("\"{}\" K", field.expression);
}

Json json_of(const ScalarField& field) {
  return field.expression.empty() ? Json(field.constant) : Json(field.expression);
}

Json json_of(const std::optional<ScalarField>& field) {
  return field ? json_of(*field) : Json(nullptr);
}

// JSON has no infinity.
Json json_of(double modulus) { return std::isfinite(modulus) ? Json(modulus) : Json("inf"); }

// Elastic moduli where the material is softest, null if they have no such place.
std::optional<LameParameters> moduli(const Material& material) {
  const StiffnessCurve curve(material);
  if (curve.varies() && !material.heat.melting_point) return std::nullopt;
  return curve.at(material.heat.melting_point.value_or(0));
}

std::string phases_of(const Material& material) {
  const HeatProperties& heat = material.heat;
  if (!heat.melting_point) return never_solid(material) ? "always liquid" : "always solid";
  return fmt::format("melts at {:g} K{}, latent heat {:g} J/kg", *heat.melting_point,
                     heat.melting_jitter > 0 ? fmt::format(" +- {:g} K", heat.melting_jitter) : "",
                     heat.latent_heat);
}

std::string stiffness_of(const Material& material) {
  const auto lame = moduli(material);
  if (!lame) return fmt::format("E = {} Pa", material.youngs_modulus_of_temperature);
  return fmt::format("mu {:.3g} Pa, lambda {:.3g} Pa", lame->mu, lame->lambda);
}

Json material_json(const Material& material) {
  const auto lame = moduli(material);
  const HeatProperties& heat = material.heat;
  return {{"name", material.name},
          {"mu", lame ? json_of(lame->mu) : Json(nullptr)},
          {"lambda", lame ? json_of(lame->lambda) : Json(nullptr)},
          {"melting_point", heat.melting_point ? Json(*heat.melting_point) : Json(nullptr)},
          {"melting_jitter", heat.melting_jitter},
          {"latent_heat", heat.latent_heat}};
}

std::string starting_state(const Scene& scene, int material, const ScalarField& temperature,
                           std::optional<Phase> said) {
  if (!scene.solves_heat()) return {};
  const Material& m = scene.materials[static_cast<std::size_t>(material)];
  const bool known = said || never_solid(m) || !m.heat.melting_point;
  if (!known && !temperature.expression.empty())
    return fmt::format(" at {}", in_kelvin(temperature));
  const Phase phase =
      starting_phase(m, said, temperature.constant, m.heat.melting_point.value_or(0));
  return fmt::format(" at {}, {}", in_kelvin(temperature), name_of(phase));
}

void print_boundaries(const Scene& scene) {
  for (const Collider& collider : scene.colliders)
    if (collider.temperature)
      fmt::print("  collider   {}: {}\n", collider.name, in_kelvin(*collider.temperature));
  if (!scene.grid.domain) return;
  const std::size_t faces = scene.simulation.dimension == 2 ? 4 : 6;
  for (std::size_t face = 0; face < faces; ++face)
    if (const auto& temperature = scene.grid.domain->temperature[face])
      fmt::print("  wall       {}_{}: {}\n", "xyz"[face / 2], face % 2 == 0 ? "min" : "max",
                 in_kelvin(*temperature));
}

}  // namespace

std::string starting_state(const Scene& scene, const Body& body) {
  return starting_state(scene, body.material, body.temperature, body.phase);
}

std::string starting_state(const Scene& scene, const Source& source) {
  return starting_state(scene, source.material, source.temperature, source.phase);
}

Json thermal_json(const Scene& scene) {
  if (!traits_of(scene).unified) return nullptr;
  const ThermalSettings& s = scene.thermal;
  Json materials = Json::array();
  for (const Material& material : scene.materials) materials.push_back(material_json(material));
  return {{"heat", s.heat},
          {"forces", name_of(s.forces)},
          {"face_density", name_of(s.face_density)},
          {"ambient", json_of(s.ambient)},
          {"heat_transfer_coefficient",
           s.heat_transfer_coefficient ? Json(*s.heat_transfer_coefficient) : Json(nullptr)},
          {"heat_sources", scene.heat_sources.size()},
          {"materials", materials}};
}

void print_thermal(const Scene& scene) {
  if (!traits_of(scene).unified) return;
  const ThermalSettings& s = scene.thermal;
  for (const Material& material : scene.materials)
    fmt::print("  material   {}: {}{}\n", material.name, stiffness_of(material),
               s.heat ? "; " + phases_of(material) : "");
  print_boundaries(scene);
  const std::string air =
      !s.ambient ? "insulates"
                 : "at " + in_kelvin(*s.ambient) +
                       (s.heat_transfer_coefficient
                            ? fmt::format(", {:g} W/(m^2 K)", *s.heat_transfer_coefficient)
                            : "");
  fmt::print("  thermal    {} forces; face density of the {}; {}\n", name_of(s.forces),
             name_of(s.face_density),
             s.heat ? fmt::format("air {}; {} heat source{}", air, scene.heat_sources.size(),
                                  scene.heat_sources.size() == 1 ? "" : "s")
                    : "no heat");
}

}  // namespace firn::app
