// The scene files that come with the project.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "firn/scene_file.h"

namespace firn::test {

// File names without their ending, sorted: a scene that is added is tested without anyone listing
// it. Without FreeType none that has letters, which then cannot be read.
inline std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(FIRN_SOURCE_DIR "/scenes"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
#if !FIRN_WITH_TEXT
  std::erase(names, "letters-on-waves");
#endif
  std::sort(names.begin(), names.end());
  return names;
}

inline Scene load_stock_scene(const std::string& name, const SceneOptions& options = {}) {
  return load_scene(std::string(FIRN_SOURCE_DIR) + "/scenes/" + name + ".toml", options);
}

// Whether this build lacks what the scene's meshes need.
inline bool lacks_openvdb([[maybe_unused]] const std::string& name) {
#if defined(FIRN_WITH_OPENVDB)
  return false;
#else
  return name == "mesh-drop" || name == "letters-on-waves";
#endif
}

// Names of tests take no hyphens.
inline std::string test_name(const testing::TestParamInfo<std::string>& scene) {
  std::string name = scene.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace firn::test
