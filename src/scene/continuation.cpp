// What tells two scenes apart, key by key. Whether they differ at all is asked of the scenes, so
// that a default that is written out is no difference; which keys do is read from their documents.
#include "src/scene/continuation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "src/scene/resolve.h"

namespace firn::scene {
namespace {

// What the state depends on. Diagnostics are measured from the start of a run on, in files whose
// columns they choose.
Scene what_moves(Scene scene) {
  OutputSettings output;
  output.diagnostics = scene.output.diagnostics;
  scene.output = output;
  scene.diagnostics = {};
  scene.name = scene.title = scene.source = scene.path = scene.resolved_toml = "";
  scene.simulation.frames = 0;
  scene.tracers.alone = false;
  for (Material& material : scene.materials) {
    material.color = {};
    material.look = Look::kAuto;
    material.finish = Finish::kAuto;
  }
  for (Body& body : scene.bodies) body.color.reset();
  for (Collider& collider : scene.colliders) {
    collider.color = {};
    collider.visible = true;
  }
  return scene;
}

bool is_array(const Node* node) { return node != nullptr && node->is(NodeType::kArray); }

bool may_change(const std::string& key, const Node* was, const Node* is) {
  const bool output = (key.starts_with("output.") && key != "output.diagnostics") ||
                      key == "diagnostics" || key.starts_with("diagnostics.");
  const bool emitters = is_array(was) || is_array(is);  // else `source` is a text
  const bool text = key == "title" || key == "reference" || (key == "source" && !emitters);
  const bool shown = key == "tracers.alone" || key.ends_with(".color") || key.ends_with(".look") ||
                     key.ends_with(".finish") || key.ends_with(".visible");
  return output || text || shown || key == "simulation.frames";
}

std::string value_of(const Node* node) {
  return node == nullptr ? "not given" : excerpt(write_value(*node));
}

bool is_number(const Node& node) {
  return node.is(NodeType::kInteger) || node.is(NodeType::kNumber);
}

bool same_value(const Node& a, const Node& b) {
  return is_number(a) && is_number(b) ? a.number == b.number : write_value(a) == write_value(b);
}

class Comparison {
 public:
  // `what` cannot have another value of a key.
  Comparison(Findings& findings, std::string_view what) : findings_(findings), what_(what) {}

  // `was` and `is` are null where the key is not given; `where` is then the place of its table.
  void compare(const std::string& key, const Node* was, const Node* is, const Location& where) {
    if (may_change(key, was, is)) return;
    const Node none;
    const Node &was_table = was ? *was : none, &is_table = is ? *is : none;
    const bool both = was != nullptr && is != nullptr;
    if (was_table.is(NodeType::kTable) && is_table.is(NodeType::kTable)) {
      compare_entries(key, was_table, is_table, where);
    } else if (is_array(was) && is_array(is) && was->items.size() == is->items.size()) {
      for (std::size_t i = 0; i < is->items.size(); ++i)
        compare(fmt::format("{}.{}", key, i), &was->items[i], &is->items[i], is->items[i].where);
    } else if (!(both && same_value(*was, *is))) {
      findings_.add(where, fmt::format("{} another '{}': it was {}, and is {}", what_, excerpt(key),
                                       value_of(was), value_of(is)));
    }
  }

 private:
  void compare_entries(const std::string& key, const Node& was, const Node& is,
                       const Location& where) {
    const std::string prefix = key.empty() ? "" : key + ".";
    for (const Entry& entry : is.entries)
      compare(prefix + entry.key, was.find(entry.key), &entry.value, entry.value.where);
    for (const Entry& entry : was.entries)
      if (is.find(entry.key) == nullptr) compare(prefix + entry.key, &entry.value, nullptr, where);
  }

  Findings& findings_;
  std::string_view what_;
};

void compare_scenes(const ResolvedScene& was, const ResolvedScene& is, std::string_view what) {
  if (what_moves(was.scene) == what_moves(is.scene)) return;
  Findings findings;
  Comparison(findings, what).compare("", &was.document, &is.document, is.document.where);
  if (findings.empty())
    findings.add(is.document.where, fmt::format("{} another scene than it began with", what));
  findings.throw_if_any();
}

// Particles of a run may have been added to an empty scene.
SceneOptions of_run(SceneOptions options) {
  options.may_be_empty = true;
  return options;
}

// Of overrides, those that name a file of a shape.
std::vector<std::string> files_of(const std::vector<std::string>& overrides) {
  std::vector<std::string> files;
  for (const std::string& text : overrides) {
    const std::string key = text.substr(0, text.find('='));
    if (key.ends_with(".file") || key.ends_with(".font")) files.push_back(text);
  }
  return files;
}

}  // namespace

Scene continue_scene(const std::string& path, const std::string& saved,
                     const SceneOptions& options) {
  const ResolvedScene is = resolve_file(path, of_run(options));
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const ResolvedScene was = resolve(saved, "the scene in the checkpoint", folder,
                                    of_run({"", files_of(options.overrides)}));
  compare_scenes(was, is, "a run cannot go on with");
  return is.scene;
}

Scene scene_afterwards(const std::string& path, const SceneOptions& options) {
  const ResolvedScene is = resolve_file(path, of_run(options));
  compare_scenes(resolve_file(path, of_run({"", files_of(options.overrides)})), is,
                 "a run that is over cannot be shown with");
  return is.scene;
}

Scene scene_of_records(const std::string& path) {
  return resolve_file(path, of_run({}), ShapeFiles::kTakenForGranted).scene;
}

}  // namespace firn::scene
