// [thermal], [[heat_source]], and the temperatures of bodies and boundaries.
#include <fmt/format.h>

#include <cmath>

#include "src/scene/parse.h"
#include "src/scene/phases.h"
#include "src/scene/stiffness_curve.h"

namespace firn::scene {
namespace {

constexpr Choice<ForceIntegration> kForceIntegrations[] = {
    {"explicit", ForceIntegration::kExplicit}, {"semi_implicit", ForceIntegration::kSemiImplicit}};
constexpr Choice<FaceDensity> kFaceDensities[] = {{"material", FaceDensity::kMaterial},
                                                  {"cell", FaceDensity::kCell}};
constexpr Choice<Phase> kPhases[] = {{"solid", Phase::kSolid}, {"liquid", Phase::kLiquid}};

void parse_solve(TableReader& settings, std::string_view key, SolveSettings& out) {
  const Node* node = settings.find(key);
  if (node == nullptr) return;
  TableReader table(*node, fmt::format("thermal.{}", key), settings.context());
  if (!node->is(NodeType::kTable)) return;
  table.number("tolerance", out.tolerance, Range::open(0, 1));
  table.integer("max_iterations", out.max_iterations, 1, 1'000'000);
  table.finish();
}

void check_phase(TableReader& table, const Material& material, const ScalarField& temperature,
                 Phase phase) {
  if (!material.heat.melting_point) {
    table.fail("phase", fmt::format("material '{}' has no 'melting_point': it is always {}; remove "
                                    "'phase'",
                                    material.name, never_solid(material) ? "liquid" : "solid"));
  } else if (temperature.expression.empty()) {
    if (const auto conflict = phase_conflict(material, phase, temperature.constant))
      table.fail("temperature", *conflict);
  }
}

void check_stiffness_at(TableReader& table, const Material& material, double temperature) {
  const StiffnessCurve curve(material);
  if (!curve.varies()) return;
  const double E = curve.youngs_modulus(temperature);
  if (!(E > 0) || !std::isfinite(E))
    table.fail("temperature",
               fmt::format("the youngs_modulus of '{}' is {} at {} K; it must be > 0",
                           material.name, E, temperature));
}

}  // namespace

std::optional<std::string_view> why_no_heat(const Scene& scene) {
  if (!is_thermal(scene))
    return "belongs to integrator \"thermal\"; remove it or set simulation.integrator";
  if (!scene.thermal.heat) return "needs heat, which thermal.heat = false leaves out; remove one";
  return std::nullopt;
}

void parse_temperature(TableReader& table, std::string_view key, const Scene& scene,
                       std::optional<ScalarField>& out) {
  if (const auto reason = why_no_heat(scene)) return table.refuse(key, *reason);
  ScalarField field;
  if (table.field(key, field, "xyzt", Range::positive())) out = field;
}

void parse_start(TableReader& table, const Scene& scene, const Material* material,
                 ScalarField& temperature, std::optional<Phase>& phase) {
  if (const auto reason = why_no_heat(scene)) {
    table.refuse("temperature", *reason);
    table.refuse("phase", *reason);
    return;
  }
  table.require("temperature");
  const bool has_temperature = table.field("temperature", temperature, "xyz", Range::positive());
  Phase said{};
  if (table.choice<Phase>("phase", said, kPhases)) phase = said;
  if (material == nullptr || !has_temperature) return;
  if (phase) check_phase(table, *material, temperature, *phase);
  if (temperature.expression.empty()) check_stiffness_at(table, *material, temperature.constant);
}

void parse_thermal(const Node& root, Scene& scene, ReadContext& context) {
  ThermalSettings& s = scene.thermal;
  parse_section(root, "thermal", context, [&](TableReader& table) {
    if (!is_thermal(scene))
      table.fail(table.node(),
                 "[thermal] belongs to integrator \"thermal\"; remove it or set "
                 "simulation.integrator");
    table.boolean("heat", s.heat);
    if (is_thermal(scene)) parse_temperature(table, "ambient", scene, s.ambient);
    table.find("ambient");
    table.choice<ForceIntegration>("forces", s.forces, kForceIntegrations);
    table.choice<FaceDensity>("face_density", s.face_density, kFaceDensities);
    table.number("temperature_flip", s.temperature_flip, Range::closed(0, 1));
    parse_solve(table, "force_solve", s.force_solve);
    parse_solve(table, "pressure_solve", s.pressure_solve);
    parse_solve(table, "heat_solve", s.heat_solve);
  });
}

void parse_heat_sources(const Node& root, Scene& scene, ReadContext& context) {
  std::vector<std::string> names;
  parse_sections(root, "heat_source", context, [&](TableReader& table, std::size_t index) {
    HeatSource source;
    if (const auto reason = why_no_heat(scene))
      table.fail(table.node(), fmt::format("[[heat_source]] {}", *reason));
    parse_name(table, "heat_source", index, source.name, names);
    parse_shape_key(table, source.shape);
    table.require("power");
    table.field("power", source.power);
    scene.heat_sources.push_back(std::move(source));
  });
}

}  // namespace firn::scene
