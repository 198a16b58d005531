// Valid scenes and edits that break them. Each case replaces `find` by `instead`, in which '@'
// marks where the finding must point.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "firn/error.h"
#include "firn/scene_file.h"

namespace firn {

inline const std::string kScene3D = R"TOML(title = "t"
[simulation]
dimension = 3
[transfer]
type = "apic"
[time]
cfl = 0.5
[grid]
dx = 0.1
domain = { min = [0, 0, 0], max = [1, 1, 1], boundary = "slip" }
[material.snow]
model = "snow"
density = 400
youngs_modulus = 1e5
poisson_ratio = 0.2
critical_compression = 0.025
critical_stretch = 0.0075
hardening = 10
[[body]]
name = "ball"
material = "snow"
shape = { type = "sphere", center = [0.5, 0.5, 0.5], radius = 0.1 }
[[body]]
material = "snow"
shape = { type = "box", min = [0, 0, 0], max = [1, 1, 1] }
[[collider]]
shape = { type = "half_space", point = [0, 0, 0], normal = [0, 1, 0] }
motion = { type = "keyframes", times = [0, 1], translation = [[0, 0, 0], [0, 1, 0]] }
[[source]]
material = "snow"
shape = { type = "capsule", from = [0, 0, 0], to = [0, 1, 0], radius = 0.1 }
end = 2
[output]
image = true
)TOML";

inline const std::string kScene2D = R"TOML([simulation]
dimension = 2
[transfer]
kernel = "quadratic"
[grid]
dx = 0.1
[material.m]
preset = "water"
[[body]]
material = "m"
shape = { type = "sphere", center = [0, 0], radius = 1 }
)TOML";

struct Case {
  std::string find, instead;
  std::vector<std::string> words;  // the first is looked for right after the position
};

inline std::string edited(const std::string& scene, const std::string& find,
                          const std::string& instead) {
  std::string text = scene;
  const std::size_t at = text.find(find);
  if (at == std::string::npos) throw std::logic_error("no '" + find + "' in the scene");
  return text.replace(at, find.size(), instead);
}

// Removes the '@' and returns "line:col" of where it was, "1:1" if there is none.
inline std::string take_marker(std::string& text) {
  const std::size_t at = text.find('@');
  if (at == std::string::npos) return "1:1";
  text.erase(at, 1);
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const std::size_t start = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 = 0
  return fmt::format("{}:{}", line, at - start + 1);
}

inline std::string message_of(const std::string& text, const SceneOptions& options = {}) {
  try {
    parse_scene(text, "s.toml", "/nowhere", options);
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), ErrorCategory::kScene);
    return error.what();
  }
  return {};
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

// Exactly one finding, at the marker, with all the words.
inline void expect_one_finding(const std::string& scene, const Case& c) {
  SCOPED_TRACE(c.instead);
  std::string text = edited(scene, c.find, c.instead);
  const std::string position = take_marker(text);
  const std::string message = message_of(text);
  EXPECT_EQ(lines_of(message).size(), 1U) << message;
  EXPECT_EQ(message.find("s.toml:" + position + ": "), 0U) << position << " expected: " << message;
  for (const std::string& word : c.words)
    EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
}

}  // namespace firn
