// load_scene and parse_scene: text, variant, overrides and paths become one document; the document
// becomes a Scene.
#include "firn/scene_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "src/scene/overlay.h"
#include "src/scene/parse.h"

namespace firn {
namespace {

namespace fs = std::filesystem;
using scene::Entry;
using scene::Findings;
using scene::Location;
using scene::Node;
using scene::NodeType;
using scene::ReadContext;
using scene::TableReader;

std::string read_text(const std::string& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    throw Error(ErrorCategory::kFile, fmt::format("{}: is a directory, not a scene file", path));
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) {
    const char* reason = errno != 0 ? std::strerror(errno) : "unknown reason";
    throw Error(ErrorCategory::kFile, fmt::format("{}: cannot be read: {}", path, reason));
  }
  return text;
}

// `source` is either where the scene comes from or, as [[source]], what emits particles; TOML has
// one meaning per key, so a scene with emitters gives its origin as `reference`.
void parse_origin(TableReader& root, Scene& out) {
  root.string("reference", out.source);
  const Node* source = root.find("source");
  if (source == nullptr || source->is(NodeType::kArray)) return;
  if (source->is(NodeType::kString)) {
    out.source = source->text;
  } else {
    root.fail(*source,
              fmt::format(
                  "'source' must be a string (where the scene comes from) or tables ([[source]]), "
                  "found {}",
                  scene::describe(source->type)));
  }
}

void parse_root(const Node& document, Scene& out, ReadContext& context) {
  TableReader root(document, "the scene", context);
  for (const char* section :
       {"simulation", "transfer", "time", "grid", "fluid", "material", "body", "collider", "sink",
        "thermal", "heat_source", "tracers", "output", "variants"}) {
    root.find(section);
  }
  root.string("title", out.title);
  parse_origin(root, out);
  root.refuse(
      "mesh",
      "(Lagrangian meshes) is not available in this version with integrator \"explicit\"; use a "
      "[[body]] with a mesh shape");
  root.finish();
}

Scene interpret(const Node& document, Findings& findings) {
  Scene out;
  ReadContext context{findings};
  parse_root(document, out, context);
  scene::parse_simulation(document, out, context);
  scene::parse_thermal(document, out, context);
  scene::parse_transfer(document, out, context);
  scene::parse_time(document, out, context);
  scene::parse_grid(document, out, context);
  scene::parse_fluid(document, out, context);
  scene::parse_materials(document, out, context);
  scene::parse_bodies(document, out, context);
  scene::parse_tracers(document, out, context);
  scene::parse_sources(document, out, context);
  scene::parse_sinks(document, out, context);
  scene::parse_colliders(document, out, context);
  scene::parse_heat_sources(document, out, context);
  scene::parse_output(document, out, context);
  return out;
}

}  // namespace

Scene parse_scene(const std::string& text, const std::string& origin, const std::string& directory,
                  const SceneOptions& options) {
  Findings findings;
  Node document = scene::parse_document(text, origin);
  scene::apply_variant(document, options.variant, findings);
  scene::apply_overrides(document, options.overrides, findings);
  scene::anchor_paths(document, directory);
  Scene out = interpret(document, findings);
  findings.throw_if_any();
  out.name = fs::path(origin).stem().string();
  out.resolved_toml = scene::write_document(document);
  return out;
}

Scene load_scene(const std::string& path, const SceneOptions& options) {
  Scene out = parse_scene(read_text(path), path, fs::path(path).parent_path().string(), options);
  out.path = path;
  return out;
}

}  // namespace firn
