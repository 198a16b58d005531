// [thermal], [[heat_source]], and the temperatures of bodies and boundaries.
#include <fmt/format.h>

#include <cmath>

#include "src/scene/parse.h"
#include "src/scene/phases.h"
#include "src/scene/stiffness_curve.h"

namespace firn::scene {
namespace {

constexpr Choice<ForceIntegration> kForceIntegrations[] = {
    {"explicit", ForceIntegration::kExplicit, "elastic waves and viscosity limit the step"},
    {"semi_implicit", ForceIntegration::kSemiImplicit,
     "one solve for the velocities under the forces at the step's end; damps vibrations"}};
constexpr Choice<FaceDensity> kFaceDensities[] = {
    {"material", FaceDensity::kMaterial, "that of the material: a pool at rest stays at rest"},
    {"cell", FaceDensity::kCell, "the face's mass over the volume of a cell"}};

constexpr Key kSolveKeys[] = {
    key<&SolveSettings::tolerance>(
        "tolerance", "largest residual left, relative to the largest of the right-hand side",
        {.range = Range::open(0, 1)}),
    key<&SolveSettings::max_iterations>("max_iterations", "of one solve",
                                        {.range = Range::closed(1, 1'000'000)}),
};

template <SolveSettings ThermalSettings::*solve>
constexpr Key solve_key(std::string_view name, std::string_view about) {
  return table_key(
      name, kSolve, about, {.value = [](const Key&, const void*) {
        const SolveSettings defaults = ThermalSettings{}.*solve;
        Node node;
        for (const Key& row : kSolveKeys)
          node.entries.push_back({std::string(row.name), {}, *row.value(row, &defaults)});
        return std::optional(node);
      }});
}

constexpr Key kThermalKeys[] = {
    key<&ThermalSettings::heat>("heat",
                                "false: nothing has a temperature, and nothing melts or freezes"),
    key<&ThermalSettings::ambient>("ambient", "temperature of the air at free surfaces",
                                   {.kind = Kind::kField,
                                    .unit = "K",
                                    .range = Range::positive(),
                                    .under = Under::kHeat,
                                    .otherwise = "insulated",
                                    .by_hand = true}),
    key<&ThermalSettings::heat_transfer_coefficient>(
        "heat_transfer_coefficient", "between free surfaces and the air",
        {.unit = "W/(m^2 K)",
         .range = Range::positive(),
         .under = Under::kHeat,
         .otherwise = "surfaces have the temperature of the air"}),
    choice_key<&ThermalSettings::forces, kForceIntegrations>(
        "forces", "how the deviatoric stress moves the material"),
    choice_key<&ThermalSettings::face_density, kFaceDensities>(
        "face_density", "what the pressure moves on faces of liquid"),
    key<&ThermalSettings::temperature_flip>(
        "temperature_flip",
        "share of the change in the particles' new temperature; the rest is the grid's",
        {.range = Range::closed(0, 1)}),
    solve_key<&ThermalSettings::force_solve>("force_solve", "of semi_implicit forces"),
    solve_key<&ThermalSettings::pressure_solve>("pressure_solve", "of the pressure"),
    solve_key<&ThermalSettings::heat_solve>("heat_solve", "of the heat"),
};

constexpr Key kHeatSourceKeys[] = {
    name_key("heat_source0, heat_source1, ..."),
    shape_key("the region, at rest in the world"),
    key<&HeatSource::power>("power",
                            "heat for each volume that its material has at rest; negative: cools",
                            {.unit = "W/m^3; 2D: W/m^2", .required = true}),
};

void parse_solve(TableReader& settings, std::string_view key, SolveSettings& out) {
  const Node* node = settings.find(key);
  if (node == nullptr) return;
  TableReader table(*node, kSolve, settings.context(), fmt::format("thermal.{}", key));
  if (!node->is(NodeType::kTable)) return;
  table.read_members(out);
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

constinit const Table kSolve = {"solve", "When a linear solve of the thermal integrator ends.",
                                kSolveKeys};
constinit const Table kThermal = {"[thermal]", "The settings of the thermal integrator.",
                                  kThermalKeys};
constinit const Table kHeatSource = {
    "[[heat_source]]", "Heats (or cools) the material that is in it from within.", kHeatSourceKeys};

std::optional<std::string_view> why_no_heat(const Scene& scene) {
  if (!is_thermal(scene))
    return "belongs to integrator \"thermal\"; remove it or set simulation.integrator";
  if (!scene.thermal.heat) return "needs heat, which thermal.heat = false leaves out; remove one";
  return std::nullopt;
}

void parse_temperature(TableReader& table, std::string_view key, const Scene& scene,
                       std::optional<ScalarField>& out) {
  if (const auto reason = why_no_heat(scene)) return table.refuse(key, *reason);
  table.read(key, out);
}

void parse_start(TableReader& table, const Scene& scene, const Material* material,
                 ScalarField& temperature, std::optional<Phase>& phase) {
  if (const auto reason = why_no_heat(scene)) {
    table.refuse("temperature", *reason);
    table.refuse("phase", *reason);
    return;
  }
  const bool has_temperature = table.read("temperature", temperature);
  Phase said{};
  if (table.read("phase", said, kPhases)) phase = said;
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
    table.read_members(s);
    if (is_thermal(scene)) parse_temperature(table, "ambient", scene, s.ambient);
    if (s.heat_transfer_coefficient && !table.has("ambient"))
      table.fail("heat_transfer_coefficient",
                 "'heat_transfer_coefficient' is towards the air, and there is no 'ambient'");
    parse_solve(table, "force_solve", s.force_solve);
    parse_solve(table, "pressure_solve", s.pressure_solve);
    parse_solve(table, "heat_solve", s.heat_solve);
  });
}

void parse_heat_sources(const Node& root, Scene& scene, ReadContext& context) {
  Names names;
  parse_sections(root, "heat_source", context, [&](TableReader& table, std::size_t index) {
    HeatSource source;
    if (const auto reason = why_no_heat(scene))
      table.fail(table.node(), fmt::format("[[heat_source]] {}", *reason));
    parse_name(table, "heat_source", index, source.name, names);
    parse_shape_key(table, source.name, source.shape);
    table.read_members(source);
    scene.heat_sources.push_back(std::move(source));
  });
}

}  // namespace firn::scene
