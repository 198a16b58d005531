// [material.<name>]: every parameter with its range, and which of them each model has. A new
// parameter is a line in the first table, a new model a line in the second.
#include <fmt/format.h>

#include <algorithm>

#include "firn/scene_file.h"
#include "src/scene/parse.h"

namespace firn::scene {
namespace {

struct Parameter {
  std::string_view name;
  double Material::*member;
  Range range;
  bool in_degrees = false;
};

const std::vector<Parameter>& parameters() {
  static const std::vector<Parameter> all = {
      {"density", &Material::density, Range::positive()},
      {"youngs_modulus", &Material::youngs_modulus, Range::positive()},
      {"poisson_ratio", &Material::poisson_ratio, Range::right_open(0, 0.5)},
      {"critical_compression", &Material::critical_compression, Range::right_open(0, 1)},
      {"critical_stretch", &Material::critical_stretch, Range::non_negative()},
      {"hardening", &Material::hardening, Range::non_negative()},
      {"friction_angle", &Material::friction_angle, Range::right_open(0, 90), true},
      {"cohesion", &Material::cohesion, Range::non_negative()},
      {"yield_stress", &Material::yield_stress, Range::positive()},
      {"bulk_modulus", &Material::bulk_modulus, Range::positive()},
      {"gamma", &Material::gamma, Range::positive()},
      {"viscosity", &Material::viscosity, Range::non_negative()},
  };
  return all;
}

using Keys = std::vector<std::string_view>;

struct Model {
  std::string_view name;
  MaterialModel model;
  Keys required, optional;  // beside `density`, `viscosity` and what every material may have
};

const std::vector<Model>& models() {
  static const Keys elastic = {"youngs_modulus", "poisson_ratio"};
  static const auto elastic_and = [](Keys more) {
    more.insert(more.begin(), elastic.begin(), elastic.end());
    return more;
  };
  static const std::vector<Model> all = {
      {"neo_hookean", MaterialModel::kNeoHookean, elastic, {}},
      {"fixed_corotated", MaterialModel::kFixedCorotated, elastic, {}},
      {"corotated_deviatoric", MaterialModel::kCorotatedDeviatoric, elastic, {}},
      {"stvk_hencky", MaterialModel::kStvkHencky, elastic, {}},
      {"snow",
       MaterialModel::kSnow,
       elastic_and({"critical_compression", "critical_stretch", "hardening"}),
       {}},
      {"sand_clamp",
       MaterialModel::kSandClamp,
       elastic_and({"critical_compression"}),
       {"critical_stretch"}},
      {"drucker_prager",
       MaterialModel::kDruckerPrager,
       elastic_and({"friction_angle"}),
       {"friction_hardening", "cohesion", "volume_correction"}},
      {"von_mises", MaterialModel::kVonMises, elastic_and({"yield_stress"}), {"hardening"}},
      {"weakly_compressible", MaterialModel::kWeaklyCompressible, {"bulk_modulus"}, {"gamma"}},
      {"incompressible", MaterialModel::kIncompressible, {}, {}},
  };
  return all;
}

constexpr Unavailable kLaterModels[] = {
    {"viscoelastic", "use \"corotated_deviatoric\" with a viscosity, or \"von_mises\""},
    {"phase_change", "use \"corotated_deviatoric\" with a melting_point (integrator \"thermal\")"},
    {"newtonian", "give 'viscosity' to another model, e.g. \"weakly_compressible\""}};

const Model& model_of(const Material& material) {
  return *std::find_if(models().begin(), models().end(),
                       [&](const Model& model) { return model.model == material.model; });
}

bool contains(const Keys& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Distinct colours for materials that name none.
Vec3 palette_color(std::size_t index) {
  constexpr Vec3 kPalette[] = {{0.36, 0.60, 0.84}, {0.93, 0.58, 0.24}, {0.42, 0.70, 0.42},
                               {0.83, 0.38, 0.40}, {0.62, 0.50, 0.78}, {0.72, 0.58, 0.44},
                               {0.90, 0.82, 0.40}, {0.45, 0.75, 0.75}};
  return kPalette[index % std::size(kPalette)];
}

// Fills the material from its preset; returns whether there is a valid one.
bool parse_preset(TableReader& table, Material& material) {
  const Node* node = table.find("preset");
  Keys names;
  for (const MaterialPreset& preset : material_presets()) names.push_back(preset.material.name);
  std::size_t index = 0;
  if (node == nullptr || !read_choice(*node, "preset", names, {}, index, table.context()))
    return false;
  const std::string name = material.name;
  material = material_presets()[index].material;
  material.name = name;
  return true;
}

bool parse_model(TableReader& table, MaterialModel& out) {
  const Node* node = table.find("model");
  Keys names;
  for (const Model& model : models()) names.push_back(model.name);
  std::size_t index = 0;
  if (node == nullptr || !read_choice(*node, "model", names, kLaterModels, index, table.context()))
    return false;
  out = models()[index].model;
  return true;
}

// h0, h1 and h3 are angles in degrees; h2 is the rate of the exponential and has no unit.
void parse_friction_hardening(TableReader& table, std::array<double, 4>& out) {
  const Node* node = table.find("friction_hardening");
  if (node == nullptr || !read_type(*node, NodeType::kArray, "friction_hardening", table.context()))
    return;
  if (node->items.size() != 4) {
    table.fail(*node,
               fmt::format("'friction_hardening' must have 4 entries (h0, h1, h2, h3), found {}",
                           node->items.size()));
    return;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const bool valid = read_number(node->items[i], "friction_hardening", Range::right_open(0, 90),
                                   out[i], table.context());
    if (valid && i != 2) out[i] = radians(out[i]);
  }
}

// A pressure solve reaches lambda = infinity, at 0.5, but needs some pressure: lambda > 0.
Range range_of(const Parameter& parameter, const Scene& scene) {
  const bool poisson = parameter.member == &Material::poisson_ratio;
  return poisson && is_thermal(scene) ? Range::left_open(0, 0.5) : parameter.range;
}

void parse_parameters(TableReader& table, const Scene& scene, Material& material) {
  for (const Parameter& parameter : parameters()) {
    const Node* node = table.find(parameter.name);
    const bool of_temperature = node != nullptr && node->is(NodeType::kString) &&
                                parameter.member == &Material::youngs_modulus;
    if (of_temperature) continue;  // parse_thermal_material
    if (parameter.in_degrees) {
      table.angle(parameter.name, material.*parameter.member, parameter.range);
    } else {
      table.number(parameter.name, material.*parameter.member, range_of(parameter, scene));
    }
  }
  parse_friction_hardening(table, material.friction_hardening);
  table.boolean("volume_correction", material.volume_correction);
}

bool preset_has(const Material& material, std::string_view key) {
  return std::any_of(parameters().begin(), parameters().end(), [&](const Parameter& parameter) {
    return parameter.name == key && material.*parameter.member != 0;
  });
}

// Every parameter the model needs, from the table or (`has_preset`) from the preset.
void check_required(TableReader& table, const Model& model, const Material& material,
                    bool has_preset) {
  Keys required = model.required;
  required.insert(required.begin(), "density");
  for (const std::string_view key : required) {
    const bool replaced_by_hardening =
        key == "friction_angle" && table.node().find("friction_hardening") != nullptr;
    const bool replaced_by_lame =
        material.lame && (key == "youngs_modulus" || key == "poisson_ratio");
    const bool given =
        table.node().find(key) != nullptr || (has_preset && preset_has(material, key));
    if (!given && !replaced_by_hardening && !replaced_by_lame) {
      table.fail(table.node(), fmt::format("{} needs the key '{}' (model \"{}\")", table.label(),
                                           key, model.name));
    }
  }
}

// A parameter the model does not have would silently do nothing. After an override of the model
// itself the parameters of the old model may stay: they cannot be removed from the command line.
void check_unused(TableReader& table, const Scene& scene, const Model& model) {
  const Node* chosen = table.node().find("model");
  if (chosen != nullptr && (chosen->replaced || chosen->where.from_override)) return;
  Keys candidates = {"friction_hardening", "volume_correction"};
  for (const Parameter& parameter : parameters()) candidates.push_back(parameter.name);
  for (const std::string_view key : thermal_keys(scene)) candidates.push_back(key);
  Keys used = {"density", "viscosity"};
  used.insert(used.end(), model.required.begin(), model.required.end());
  used.insert(used.end(), model.optional.begin(), model.optional.end());
  for (const std::string_view key : thermal_keys(scene, model.model)) used.push_back(key);
  for (const Entry& entry : table.node().entries) {
    if (!contains(candidates, entry.key) || contains(used, entry.key)) continue;
    table.context().findings.add(entry.where, fmt::format("model \"{}\" has no '{}' (it has: {})",
                                                          model.name, entry.key, list_of(used)));
  }
}

// What a misspelt name in an override looks like: a material that nothing but the command line
// knows.
bool report_stray_override(const Entry& entry, const Scene& scene, ReadContext& context) {
  const bool starts = entry.value.find("model") != nullptr || entry.value.find("preset") != nullptr;
  if (!entry.where.from_override || starts) return false;
  Keys names;
  for (const Material& material : scene.materials) names.push_back(material.name);
  context.findings.add(entry.where, fmt::format("the scene has no material '{}'{}", entry.key,
                                                suggestion(entry.key, names)));
  return true;
}

// The incompressible integrator has no viscosity. That of water is far below what any grid
// resolves; a preset that is thicker would silently become thin.
constexpr double kThinnestViscosity = 1e-2;  // Pa s

constexpr std::string_view name_of(Integrator integrator) {
  return integrator == Integrator::kThermal          ? "thermal"
         : integrator == Integrator::kIncompressible ? "incompressible"
                                                     : "explicit";
}

// Why the scene's integrator does not move this model; empty if it does.
std::string_view why_not_moved(const Scene& scene, MaterialModel model) {
  const bool liquid = model == MaterialModel::kIncompressible;
  if (is_thermal(scene))
    return liquid || model == MaterialModel::kCorotatedDeviatoric
               ? ""
               : "integrator \"thermal\" takes model \"corotated_deviatoric\" (solids, also those "
                 "that melt) and \"incompressible\" (liquids that never freeze)";
  if (is_incompressible(scene))
    return liquid ? ""
                  : "integrator \"incompressible\" moves liquids only: use model = "
                    "\"incompressible\", or the preset of a liquid";
  return liquid ? "model \"incompressible\" needs simulation.integrator = \"incompressible\"; use "
                  "\"weakly_compressible\""
                : "";
}

// Whether the integrator can move the material; if not, a finding.
bool check_integrator(TableReader& table, const Scene& scene, const Material& material) {
  if (scene.simulation.integrator == Integrator::kIncompressible &&
      material.viscosity > kThinnestViscosity) {
    table.fail(table.node().find("viscosity") != nullptr ? "viscosity" : "preset",
               fmt::format("integrator \"{}\" has no viscosity in this version; use \"explicit\", "
                           "or a thin liquid such as preset = \"water\"",
                           name_of(scene.simulation.integrator)));
    return false;
  }
  const std::string_view reason = why_not_moved(scene, material.model);
  const char* at = table.node().find("model") != nullptr ? "model" : "preset";
  if (!reason.empty() && table.node().find(at) != nullptr) table.fail(at, reason);
  return reason.empty();
}

Material parse_material(const Entry& entry, const Scene& scene, ReadContext& context) {
  Material material;
  material.name = entry.key;
  material.color = palette_color(scene.materials.size());
  TableReader table(entry.value, fmt::format("[material.{}]", entry.key), context);
  if (!entry.value.is(NodeType::kTable)) return material;
  const bool has_preset = parse_preset(table, material);
  const bool has_model = parse_model(table, material.model);
  // A liquid is the same liquid under any integrator: only its stiffness has no meaning on faces.
  if (is_staggered(scene) && !has_model && material.model == MaterialModel::kWeaklyCompressible) {
    material.model = MaterialModel::kIncompressible;
    material.bulk_modulus = 0;
  }
  parse_parameters(table, scene, material);
  parse_thermal_material(table, scene, material);
  table.color("color", material.color);
  const bool known = has_preset || has_model;
  if (known) {
    const Model& model = model_of(material);
    check_required(table, model, material, has_preset);
    check_unused(table, scene, model);
  } else if (entry.value.find("model") == nullptr && entry.value.find("preset") == nullptr) {
    table.fail(table.node(), fmt::format("{} needs a 'model' or a 'preset'", table.label()));
  }
  if (known && check_integrator(table, scene, material))
    check_thermal_material(table, scene, material);
  table.finish();
  return material;
}

}  // namespace

void parse_materials(const Node& root, Scene& scene, ReadContext& context) {
  const Node* node = root.find("material");
  if (node == nullptr || !read_type(*node, NodeType::kTable, "material", context)) return;
  for (const Entry& entry : node->entries) {
    if (report_stray_override(entry, scene, context)) continue;
    scene.materials.push_back(parse_material(entry, scene, context));
  }
}

}  // namespace firn::scene
