// A scene together with the document that it was read from, where every value has its place.
#pragma once

#include <string>

#include "firn/scene_file.h"
#include "src/scene/document.h"

namespace firn::scene {

struct ResolvedScene {
  Node document;  // variant and overrides applied, paths made absolute
  Scene scene;
};

// What parse_scene and load_scene do, with the same arguments and errors.
ResolvedScene resolve(const std::string& text, const std::string& origin,
                      const std::string& directory, const SceneOptions& options);
ResolvedScene resolve_file(const std::string& path, const SceneOptions& options);

}  // namespace firn::scene
