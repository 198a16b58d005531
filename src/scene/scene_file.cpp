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
using scene::Findings;
using scene::Node;

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

}  // namespace

Scene parse_scene(const std::string& text, const std::string& origin, const std::string& directory,
                  const SceneOptions& options) {
  Findings findings;
  Node document = scene::parse_document(text, origin);
  scene::apply_variant(document, options.variant, findings);
  scene::apply_overrides(document, options.overrides, findings);
  scene::anchor_paths(document, directory);
  scene::ReadContext context{findings};
  Scene out = scene::parse_tree(document, context);
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
