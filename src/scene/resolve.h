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

enum class ShapeFiles { kNeeded, kTakenForGranted };

// What parse_scene and load_scene do, with the same arguments and errors. Where `directory` is that
// of a run, files that have moved together with it are found.
ResolvedScene resolve(const std::string& text, const std::string& origin,
                      const std::string& directory, const SceneOptions& options,
                      ShapeFiles files = ShapeFiles::kNeeded);
ResolvedScene resolve_file(const std::string& path, const SceneOptions& options,
                           ShapeFiles files = ShapeFiles::kNeeded);

}  // namespace firn::scene
