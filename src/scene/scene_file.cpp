// load_scene and parse_scene: text, variant, overrides and paths become one document; the document
// becomes a Scene.
#include "src/scene/resolve.h"

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
    const char* mend = errno == EACCES ? "; ask its owner for the right to read it (chmod +r)" : "";
    throw Error(ErrorCategory::kFile, fmt::format("{}: cannot be read: {}{}", path, reason, mend));
  }
  return text;
}

}  // namespace

namespace scene {

ResolvedScene resolve(const std::string& text, const std::string& origin,
                      const std::string& directory, const SceneOptions& options, ShapeFiles files) {
  Findings findings;
  Node document = parse_document(text, origin);
  apply_variant(document, options.variant, findings);
  apply_overrides(document, options.overrides, findings);
  anchor_paths(document, directory);
  ReadContext context{findings};
  context.reads_files = files == ShapeFiles::kNeeded;
  context.may_be_empty = options.may_be_empty;
  Scene out = parse_tree(document, context);
  findings.throw_if_any();
  for (const auto& left : context.left_behind)
    std::erase_if(document.find("material")->find(left[0])->entries,
                  [&](const Entry& entry) { return entry.key == left[1]; });
  out.name = fs::path(origin).stem().string();
  out.resolved_toml = write_document(document);
  return {std::move(document), std::move(out)};
}

ResolvedScene resolve_file(const std::string& path, const SceneOptions& options, ShapeFiles files) {
  ResolvedScene out =
      resolve(read_text(path), path, fs::path(path).parent_path().string(), options, files);
  out.scene.path = path;
  return out;
}

}  // namespace scene

Scene parse_scene(const std::string& text, const std::string& origin, const std::string& directory,
                  const SceneOptions& options) {
  return scene::resolve(text, origin, directory, options).scene;
}

Scene load_scene(const std::string& path, const SceneOptions& options) {
  return scene::resolve_file(path, options).scene;
}

}  // namespace firn
