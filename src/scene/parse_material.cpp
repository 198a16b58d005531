// [material.<name>]: a model or a preset, and the parameters that it has (material_keys.h).
#include <fmt/format.h>

#include <algorithm>

#include "firn/scene_file.h"
#include "src/scene/left_behind.h"
#include "src/scene/material_keys.h"

namespace firn::scene {
namespace {

using Keys = std::vector<std::string_view>;

const ModelKeys& model_of(const Material& material) {
  return *std::find_if(std::begin(kModels), std::end(kModels),
                       [&](const ModelKeys& model) { return model.model == material.model; });
}

template <class List>
bool contains(const List& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// Distinct colours for materials that name none.
Vec3 palette_color(std::size_t index) {
  constexpr Vec3 kPalette[] = {{0.36, 0.60, 0.84}, {0.93, 0.58, 0.24}, {0.42, 0.70, 0.42},
                               {0.83, 0.38, 0.40}, {0.62, 0.50, 0.78}, {0.72, 0.58, 0.44},
                               {0.90, 0.82, 0.40}, {0.45, 0.75, 0.75}, {0.92, 0.62, 0.76},
                               {0.55, 0.55, 0.57}};
  return kPalette[index % std::size(kPalette)];
}

// Of a preset's material, what means the same in the model that is chosen in place of the preset's.
Material without_model(const Material& preset) {
  Material kept;
  kept.name = preset.name;
  kept.model = preset.model;
  kept.density = preset.density;
  kept.youngs_modulus = preset.youngs_modulus;
  kept.poisson_ratio = preset.poisson_ratio;
  kept.youngs_modulus_of_temperature = preset.youngs_modulus_of_temperature;
  kept.lame = preset.lame;
  kept.viscosity = preset.viscosity;
  kept.heat = preset.heat;
  kept.color = preset.color;
  kept.look = preset.look;
  kept.finish = preset.finish;
  return kept;
}

// Fills the material from its preset; returns whether there is a valid one.
bool parse_preset(TableReader& table, Material& material) {
  std::size_t index = 0;
  if (!table.read_word("preset", index, "preset")) return false;
  const std::string name = material.name;
  material = material_presets()[index].material;
  material.name = name;
  return true;
}

bool parse_model(TableReader& table, MaterialModel& out) {
  std::size_t index = 0;
  if (!table.read_word("model", index, "model")) return false;
  out = kModels[index].model;
  return true;
}

void parse_parameters(TableReader& table, const Scene& scene, Material& material) {
  table.read_members(material);
  const Node* stiffness = table.at("youngs_modulus");
  const bool of_temperature = stiffness != nullptr && stiffness->is(NodeType::kString);
  if (!of_temperature)  // parse_thermal_material
    table.read("youngs_modulus", material.youngs_modulus);
  if (!traits_of(scene).implicit)
    table.refuse("stiffness_damping",
                 "belongs to integrators \"optimization\" and \"semi_implicit\"; remove it");
  // A pressure solve reaches lambda = infinity, at 0.5, but needs some pressure: lambda > 0.
  const Key& poisson = table.row("poisson_ratio");
  table.read_in("poisson_ratio", material.poisson_ratio,
                is_thermal(scene) ? *poisson.thermal_range : poisson.range);
  if (material.model == MaterialModel::kCorotatedDeviatoric && material.poisson_ratio == 0 &&
      !is_thermal(scene))
    table.fail("poisson_ratio", "'poisson_ratio' must be > 0: the bulk modulus is lambda here");
  parse_friction_hardening(table, material.friction_hardening);
  if (table.has("friction_hardening")) {
    table.refuse("friction_angle", "has no say beside 'friction_hardening'; remove one of them");
    material.friction_angle = 0;  // a preset's
  }
  check_dilatancy(table, material);
  check_cam_clay(table, material);
}

bool preset_has(const Material& material, std::string_view key) {
  const Key& row = *kMaterial.find(key);
  return row.value != nullptr && row.value(row, &material)->number != 0;
}

// Every parameter the model needs, from the table or (`has_preset`) from the preset.
void check_required(TableReader& table, const ModelKeys& model, const Material& material,
                    bool has_preset) {
  Keys required = {"density"};
  required.insert(required.end(), model.required.begin(), model.required.end());
  for (const std::string_view key : required) {
    const std::string_view stand_in = stand_in_of(model, key);
    const bool replaced = !stand_in.empty() && table.has(stand_in);
    const bool replaced_by_lame = material.lame && contains(std::span(kElastic), key);
    const bool given = table.has(key) || (has_preset && preset_has(material, key));
    if (!given && !replaced && !replaced_by_lame) {
      table.fail(
          table.node(),
          fmt::format("{} needs the key '{}'{} (model \"{}\")", table.label(), key,
                      stand_in.empty() ? "" : fmt::format(" or '{}'", stand_in), model.name));
    }
  }
}

// A parameter the model does not have would silently do nothing.
void check_unused(TableReader& table, const Scene& scene, const ModelKeys& model) {
  const Keys used = model_keys(scene, model);
  for (const Entry& entry : table.node().entries)
    if (is_unused(entry.key, used, scene))
      table.context().findings.add(entry.where,
                                   fmt::format("model \"{}\" has no '{}' (it has: {})", model.name,
                                               excerpt(entry.key), list_of(used)));
}

// What a misspelt name in an override looks like: a material that nothing but the command line
// knows.
bool report_stray_override(const Entry& entry, const Scene& scene, ReadContext& context) {
  const bool starts = entry.value.find("model") != nullptr || entry.value.find("preset") != nullptr;
  if (!entry.where.from_override || starts) return false;
  Keys names;
  for (const Material& material : scene.materials) names.push_back(material.name);
  context.findings.add(entry.where, fmt::format("the scene has no material '{}'{}",
                                                excerpt(entry.key), suggestion(entry.key, names)));
  return true;
}

// Whether the integrator can move the material; if not, a finding.
bool check_integrator(TableReader& table, const Scene& scene, const Material& material) {
  const std::string_view reason = why_not_moved(scene, material.model);
  const char* at = table.has("model") ? "model" : "preset";
  if (!reason.empty() && table.has(at)) table.fail(at, reason);
  return reason.empty();
}

Material parse_material(const Entry& entry, const Scene& scene, ReadContext& context) {
  Material material;
  material.name = entry.key;
  material.color = palette_color(scene.materials.size());
  Node node = entry.value;
  leave_model_behind(node, entry.key, context);
  TableReader table(node, kMaterial, context, fmt::format("[material.{}]", entry.key));
  if (!node.is(NodeType::kTable)) return material;
  const bool has_preset = parse_preset(table, material);
  const MaterialModel of_preset = model_of_preset(scene, material.model);
  const bool has_model = parse_model(table, material.model);
  if (!has_model) material.model = of_preset;
  if (has_preset && material.model != of_preset) material = without_model(material);
  if (has_preset || has_model)
    leave_unused_behind(node, entry.key, model_keys(scene, model_of(material)), scene, context);
  if (material.model == MaterialModel::kIncompressible) material.bulk_modulus = 0;  // a preset's
  parse_parameters(table, scene, material);
  parse_thermal_material(table, scene, material);
  table.read("color", material.color);
  const bool known = has_preset || has_model;
  if (known) {
    const ModelKeys& model = model_of(material);
    check_required(table, model, material, has_preset);
    check_unused(table, scene, model);
  } else if (!table.has("model") && !table.has("preset")) {
    table.fail(table.node(), fmt::format("{} needs a 'model' or a 'preset'", table.label()));
  }
  if (known && check_integrator(table, scene, material))
    check_thermal_material(table, scene, material);
  table.finish();
  return material;
}

}  // namespace

constinit const Table kPhaseValues = {"phases", "Values of the two phases.", kPhaseKeys};
constinit const Table kMaterial = {
    "[material.NAME]",
    "Needs a model or a preset; which of the other keys mean something is the "
    "model's choice.",
    kMaterialKeys};

std::span<const ModelKeys> material_models() { return kModels; }

std::string_view stand_in_of(const ModelKeys& model, std::string_view required) {
  const std::string_view stand_in = kMaterial.find(required)->stand_in;
  return contains(model.optional, stand_in) ? stand_in : std::string_view();
}

std::vector<std::string_view> model_keys(const Scene& scene, const ModelKeys& model) {
  Keys keys = {"density", "viscosity"};
  if (traits_of(scene).implicit) keys.push_back("stiffness_damping");
  keys.insert(keys.end(), model.required.begin(), model.required.end());
  keys.insert(keys.end(), model.optional.begin(), model.optional.end());
  for (const std::string_view key : thermal_keys(scene, model.model)) keys.push_back(key);
  return keys;
}

// A liquid is the same liquid under any integrator: only its stiffness has no meaning on faces.
MaterialModel model_of_preset(const Scene& scene, MaterialModel model) {
  const bool liquid = is_staggered(scene) && model == MaterialModel::kWeaklyCompressible;
  return liquid ? MaterialModel::kIncompressible : model;
}

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
  return liquid ? "model \"incompressible\" needs simulation.integrator = \"incompressible\" or "
                  "\"thermal\"; use \"weakly_compressible\""
                : "";
}

void parse_materials(const Node& root, Scene& scene, ReadContext& context) {
  section_rows("material", context);
  const Node* node = root.find("material");
  if (node == nullptr || !read_type(*node, NodeType::kTable, "material", context)) return;
  for (const Entry& entry : node->entries) {
    if (report_stray_override(entry, scene, context)) continue;
    if (node->find(entry.key) != &entry.value)  // only a scene that is built in code can do that
      context.findings.add(entry.where, fmt::format("there is already a material '{}'", entry.key));
    scene.materials.push_back(parse_material(entry, scene, context));
  }
}

}  // namespace firn::scene
