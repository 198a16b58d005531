// The variant and the overrides of an input that is a scene: its first line, if it starts with '#',
// cut at tabs into one and the others.
#pragma once

#include <algorithm>
#include <string>

#include "firn/scene_file.h"

namespace firn::fuzz {

inline SceneOptions options_of(const std::string& text) {
  SceneOptions options;
  if (text.empty() || text[0] != '#') return options;
  const std::string line = text.substr(1, text.find('\n') - 1);
  const std::size_t tab = std::min(line.find('\t'), line.size());
  options.variant = line.substr(0, tab);
  for (std::size_t start = tab + 1; start <= line.size();) {
    const std::size_t end = std::min(line.find('\t', start), line.size());
    options.overrides.push_back(line.substr(start, end - start));
    start = end + 1;
  }
  return options;
}

}  // namespace firn::fuzz
