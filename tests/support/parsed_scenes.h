// A smallest valid scene, for tests that add keys to it, and how its text is read and read again.
#pragma once

#include <gtest/gtest.h>

#include <numbers>
#include <string>

#include "firn/scene_file.h"

namespace firn::test {

inline constexpr double kDegree = std::numbers::pi / 180;

inline const std::string kMinimalScene = R"TOML(
[grid]
dx = 0.1
[material.jelly]
preset = "jello"
[[body]]
material = "jelly"
shape = { type = "sphere", center = [0, 0, 0], radius = 1 }
)TOML";

inline Scene parse_text(const std::string& text, const SceneOptions& options = {}) {
  return parse_scene(text, "test.toml", "", options);
}

// The members that say where a scene came from are not part of what it means.
inline Scene without_origin(Scene scene) {
  scene.path.clear();
  scene.name.clear();
  return scene;
}

inline void expect_round_trip(const Scene& scene) {
  SCOPED_TRACE(scene.resolved_toml);
  const Scene again = parse_text(scene.resolved_toml);
  EXPECT_TRUE(without_origin(again) == without_origin(scene));
}

}  // namespace firn::test
