// What the thermal integrator adds to [material.<name>]: Lame's parameters, stiffness that follows
// the temperature, and the heat of solid and liquid.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "src/scene/parse.h"
#include "src/scene/phases.h"
#include "src/scene/stiffness_curve.h"

namespace firn::scene {
namespace {

using Keys = std::vector<std::string_view>;

const Keys kLameKeys = {"shear_modulus", "lambda"};
const Keys kPlasticKeys = {"critical_compression", "critical_stretch"};
const Keys kHeatKeys = {"heat_capacity", "conductivity"};
const Keys kMeltingKeys = {"melting_point", "melting_jitter", "latent_heat"};

void append(Keys& keys, const Keys& more) { keys.insert(keys.end(), more.begin(), more.end()); }

bool any_given(const TableReader& table, const Keys& keys) {
  for (const std::string_view key : keys)
    if (table.has(key)) return true;
  return false;
}

// lambda > 0, or inf: the one number of a scene that may be infinite.
bool read_lambda(TableReader& table, double& out) {
  const Node* node = table.find("lambda");
  const bool infinite = node != nullptr && node->is(NodeType::kNumber) &&
                        node->number == std::numeric_limits<double>::infinity();
  if (infinite) out = node->number;
  return infinite || table.read("lambda", out);
}

void parse_lame(TableReader& table, Material& material) {
  if (!any_given(table, kLameKeys)) return;
  LameParameters lame;
  const bool mu = table.read("shear_modulus", lame.mu);
  const bool lambda = read_lambda(table, lame.lambda);
  material.lame = mu && lambda ? lame : LameParameters{1, 1};  // after a finding: anything valid
  material.youngs_modulus = material.poisson_ratio = 0;
  for (const char* key : {"youngs_modulus", "poisson_ratio"})
    if (table.has(key))
      return table.fail(key,
                        "the material is given twice: remove 'youngs_modulus' and "
                        "'poisson_ratio', or 'shear_modulus' and 'lambda'");
  for (const std::string_view key : kLameKeys) table.require(key);
}

// `youngs_modulus` where it is text.
void parse_stiffness(TableReader& table, const Scene& scene, Material& material) {
  const Node* node = table.at("youngs_modulus");
  if (node == nullptr || !node->is(NodeType::kString)) return;
  if (const auto reason = why_no_heat(scene))
    return table.fail(*node, fmt::format("'youngs_modulus' as an expression {}", *reason));
  ScalarField field;
  if (!table.read("youngs_modulus", field)) return;
  material.youngs_modulus_of_temperature = field.expression;
  material.youngs_modulus = 0;
}

// One number for both phases, or { solid = ..., liquid = ... }.
void parse_phases(TableReader& table, std::string_view key, PhaseValues& out) {
  const Node* node = table.find(key);
  if (node == nullptr) return;
  const Range& range = table.row(key).range;
  double value = 0;
  if (!node->is(NodeType::kTable)) {
    if (read_number(*node, key, range, value, table.context())) out = {value, value};
    return;
  }
  TableReader phases(*node, kPhaseValues, table.context(), fmt::format("'{}'", key));
  const Node* solid = phases.find("solid");
  const Node* liquid = phases.find("liquid");
  if (solid != nullptr) read_number(*solid, "solid", range, out.solid, table.context());
  if (liquid != nullptr) read_number(*liquid, "liquid", range, out.liquid, table.context());
  phases.finish();
}

void check_plasticity(TableReader& table, const Material& material) {
  const bool compression = table.has("critical_compression"),
             stretch = table.has("critical_stretch");
  if (compression != stretch)
    table.fail(compression ? "critical_compression" : "critical_stretch",
               "plastic flow needs both 'critical_compression' and 'critical_stretch'");
  const bool idle = !compression && !stretch && material.critical_compression == 0 &&
                    material.critical_stretch == 0;
  if (idle && table.has("volume_correction"))
    table.fail("volume_correction",
               "'volume_correction' is about plastic flow, which starts beyond "
               "'critical_compression' and 'critical_stretch'");
}

void check_melting(TableReader& table, const Material& material) {
  const HeatProperties& heat = material.heat;
  if (!heat.melting_point) {
    for (const char* key : {"melting_jitter", "latent_heat"})
      if (table.has(key)) table.fail(key, fmt::format("'{}' needs a 'melting_point'", key));
    return;
  }
  if (material.lame && never_solid(material))
    table.fail("melting_point",
               "a material that is never solid cannot melt: give it a 'shear_modulus' > 0");
  constexpr double kLargestJitter = 0.1;  // of the melting point
  if (heat.melting_jitter > kLargestJitter * *heat.melting_point)
    table.fail("melting_jitter",
               fmt::format("'melting_jitter' must be at most a tenth of the melting point ({} K), "
                           "found {}",
                           kLargestJitter * *heat.melting_point, heat.melting_jitter));
}

// At the melting point, where solids are softest.
void check_stiffness(TableReader& table, const Material& material) {
  const StiffnessCurve curve(material);
  if (!curve.varies() || !material.heat.melting_point) return;
  const double E = curve.youngs_modulus(*material.heat.melting_point);
  if (!(E > 0) || !std::isfinite(E))
    table.fail("youngs_modulus",
               fmt::format("'youngs_modulus' must be > 0 up to the melting point; at {} K it is {}",
                           *material.heat.melting_point, E));
}

}  // namespace

std::vector<std::string_view> thermal_keys(const Scene& scene, MaterialModel model) {
  const bool solid = model == MaterialModel::kCorotatedDeviatoric;
  Keys keys;
  if (is_thermal(scene) && solid) {
    append(keys, kLameKeys);
    append(keys, kPlasticKeys);
    keys.push_back("volume_correction");
  }
  if (scene.solves_heat()) append(keys, kHeatKeys);
  if (scene.solves_heat() && solid) append(keys, kMeltingKeys);
  return keys;
}

void parse_thermal_material(TableReader& table, const Scene& scene, Material& material) {
  parse_stiffness(table, scene, material);
  if (is_thermal(scene)) {
    parse_lame(table, material);
  } else {
    for (const std::string_view key : kLameKeys)
      table.refuse(key,
                   "belongs to integrator \"thermal\"; give 'youngs_modulus' and "
                   "'poisson_ratio' instead");
  }
  if (const auto reason = why_no_heat(scene)) {
    for (const std::string_view key : kHeatKeys) table.refuse(key, *reason);
    for (const std::string_view key : kMeltingKeys) table.refuse(key, *reason);
    return;
  }
  parse_phases(table, "heat_capacity", material.heat.capacity);
  parse_phases(table, "conductivity", material.heat.conductivity);
  table.read_members(material.heat);
}

void check_thermal_material(TableReader& table, const Scene& scene, const Material& material) {
  if (!is_thermal(scene)) return;
  check_plasticity(table, material);
  if (!scene.solves_heat()) return;
  const bool given[] = {material.heat.capacity.solid > 0, material.heat.conductivity.solid > 0};
  for (std::size_t i = 0; i < kHeatKeys.size(); ++i)
    if (!given[i] && !table.has(kHeatKeys[i]))
      table.fail(table.node(),
                 fmt::format("{} needs the key '{}' under integrator \"thermal\" (thermal.heat = "
                             "false does without heat)",
                             table.label(), kHeatKeys[i]));
  check_melting(table, material);
  check_stiffness(table, material);
}

}  // namespace firn::scene
