// Reading scene files (TOML).
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

struct SceneOptions {
  std::string variant{};                 // name of a [variants.<name>] table, or empty
  std::vector<std::string> overrides{};  // "a.b.0.c=value", applied after the variant
  // A scene without bodies and sources is one, to which Simulation::add_particles adds what is in
  // it; else it is refused.
  bool may_be_empty = false;
};

// Reads, checks and resolves a scene. Throws Error{kFile} if the file cannot be read and
// Error{kScene} with every finding ("file:line:col: what and how to mend it"), one per line, if it
// cannot be understood.
Scene load_scene(const std::string& path, const SceneOptions& options = {});

// As load_scene, from text; `origin` stands for the file name in messages and relative paths start
// at `directory`.
Scene parse_scene(const std::string& text, const std::string& origin, const std::string& directory,
                  const SceneOptions& options = {});

// Holds a scene that was built or changed in code against everything that a file is held against.
// Throws Error{kScene} (kFile if only files are missing) with every finding ("body.0.shape.radius:
// what and how to mend it"), one per line. It may be empty. Simulation and estimate do it by
// themselves.
void validate(const Scene& scene);

struct MaterialPreset {
  Material material{};
  std::string description{}, source{};
};
// The named materials that `material.x.preset = "snow_dry"` starts from.
const std::vector<MaterialPreset>& material_presets();

}  // namespace firn
