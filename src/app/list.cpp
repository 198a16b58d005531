// Commands that list what there is: scenes, material presets, devices, the keys of a scene.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "firn/error.h"
#include "src/app/commands.h"
#include "src/app/format.h"
#include "src/app/json_out.h"
#include "src/app/machine.h"
#include "src/app/scene_catalog.h"
#include "src/scene/reference.h"
#include "src/scene/scene_document.h"

namespace firn::app {
namespace {

struct SceneEntry {
  std::string name, path, title, source;
};

SceneEntry describe_scene(const std::filesystem::path& path) {
  SceneEntry entry{path.stem().string(), path.string(), "", ""};
  try {
    const Scene scene = load_scene(path.string());
    entry.title = scene.title;
    entry.source = scene.source;
  } catch (const Error& error) {
    const std::string message = error.what();
    entry.title = "cannot be read: " + message.substr(0, message.find('\n'));
  }
  return entry;
}

Json json_of(const PhaseValues& values) {
  return {{"solid", values.solid}, {"liquid", values.liquid}};
}

// Null for a material that says nothing about heat.
Json json_of(const HeatProperties& heat) {
  if (!(heat.capacity.solid > 0)) return nullptr;
  return {{"heat_capacity", json_of(heat.capacity)},
          {"conductivity", json_of(heat.conductivity)},
          {"melting_point", heat.melting_point ? Json(*heat.melting_point) : Json(nullptr)},
          {"melting_jitter", heat.melting_jitter},
          {"latent_heat", heat.latent_heat}};
}

// The keys that say the same as a preset, as a scene has them, but for its colour.
std::vector<scene::Entry> keys_of(const MaterialPreset& preset) {
  Scene scene;
  scene.materials = {preset.material};
  const scene::Node document = scene::document_of(scene);
  const scene::Node* materials = document.find("material");
  if (materials == nullptr || materials->entries.empty()) return {};
  std::vector<scene::Entry> keys = materials->entries.front().value.entries;
  std::erase_if(keys, [](const scene::Entry& key) { return key.key == "color"; });
  return keys;
}
Json json_of(const scene::Node& node) {
  switch (node.type) {
    case scene::NodeType::kBoolean:
      return node.boolean;
    case scene::NodeType::kInteger:
    case scene::NodeType::kNumber:
      return node.number;
    case scene::NodeType::kString:
      return node.text;
    default:
      return scene::write_value(node);
  }
}

Json json_of(const MaterialPreset& preset) {
  const Material& m = preset.material;
  Json keys = Json::object();
  for (const scene::Entry& key : keys_of(preset)) keys[key.key] = json_of(key.value);
  return {{"name", m.name},
          {"description", preset.description},
          {"source", preset.source},
          {"density", m.density},
          {"youngs_modulus", m.youngs_modulus},
          {"poisson_ratio", m.poisson_ratio},
          {"bulk_modulus", m.bulk_modulus},
          {"viscosity", m.viscosity},
          {"heat", json_of(m.heat)},
          {"keys", keys}};
}

}  // namespace

int list_scenes(const Options& options) {
  if (options.json && options.names)
    throw Error(ErrorCategory::kScene, "--json and --names: give one of them");
  Json json = Json::array();
  std::vector<std::vector<std::string>> rows{{"scene", "title", "source"}};
  for (const auto& path : scene_files()) {
    const SceneEntry entry = describe_scene(path);
    rows.push_back({entry.name, entry.title, entry.source});
    json.push_back({{"name", entry.name},
                    {"path", entry.path},
                    {"title", entry.title},
                    {"source", entry.source}});
  }
  if (rows.size() == 1)
    throw Error(ErrorCategory::kFile,
                "no scenes found: none is installed with the program, its build folder has gone, "
                "and ./scenes holds none; name folders of scenes in FIRN_SCENES");
  if (options.json)
    print_json(json);
  else if (options.names)
    for (std::size_t i = 1; i < rows.size(); ++i) fmt::print("{}\n", rows[i][0]);
  else
    fmt::print("{}", format_table(rows));
  return 0;
}

int list_materials(const Options& options) {
  if (options.json) {
    Json json = Json::array();
    for (const MaterialPreset& preset : material_presets()) json.push_back(json_of(preset));
    print_json(json);
    return 0;
  }
  for (const MaterialPreset& preset : material_presets()) {
    fmt::print("{}: {}\n", preset.material.name, preset.description);
    std::string keys;
    for (const scene::Entry& key : keys_of(preset))
      keys += fmt::format("{}{} = {}", keys.empty() ? "" : ", ", key.key,
                          scene::write_value(key.value));
    fmt::print("{}{}", wrapped(keys, "    "), wrapped(preset.source, "    "));
  }
  fmt::print("\nUse one in a scene with  [material.NAME]  preset = \"{}\"\n",
             material_presets().front().material.name);
  return 0;
}

int list_devices(const Options& options) {
  const std::vector<std::string> gpus = cuda_devices();
  if (options.json) {
    print_json({{"cpu", {{"threads", hardware_threads()}, {"name", cpu_model()}}},
                {"built_with_cuda", built_with_cuda()},
                {"cuda", gpus},
                {"cuda_problem", why_no_cuda_device()}});
    return 0;
  }
  fmt::print("cpu    {} ({} threads)\n", cpu_model(), hardware_threads());
  for (std::size_t i = 0; i < gpus.size(); ++i)
    fmt::print("{:<6} {}\n", gpus.size() == 1 ? "cuda" : fmt::format("cuda:{}", i), gpus[i]);
  if (gpus.empty()) fmt::print("cuda   none: {}\n", why_no_cuda_device());
  return 0;
}

int print_schema(const Options& options) {
  fmt::print("{}", options.markdown ? scene::scene_reference() : scene::scene_schema());
  return 0;
}

}  // namespace firn::app
