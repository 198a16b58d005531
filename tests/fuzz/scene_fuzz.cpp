// Fuzzes the scene reader: whatever the bytes, parse_scene returns a scene or throws firn::Error,
// and a scene it returns resolves to text that parses to the same scene. The first line of an
// input, if it starts with '#', is cut at tabs into a variant and overrides.
//   mkdir -p corpus && cp scenes/*.toml corpus/ && ./scene_fuzz -max_total_time=60 corpus
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "firn/error.h"
#include "firn/scene_file.h"

namespace {

firn::SceneOptions options_of(const std::string& text) {
  firn::SceneOptions options;
  if (text.empty() || text[0] != '#') return options;
  const std::string line = text.substr(1, text.find('\n') - 1);
  std::size_t start = 0;
  bool first = true;
  while (start <= line.size()) {
    const std::size_t end = std::min(line.find('\t', start), line.size());
    const std::string word = line.substr(start, end - start);
    if (first) {
      options.variant = word;
    } else {
      options.overrides.push_back(word);
    }
    first = false;
    start = end + 1;
  }
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  firn::Scene scene;
  try {
    scene = firn::parse_scene(text, "fuzz.toml", "", options_of(text));
  } catch (const firn::Error&) {
    return 0;
  }
  const firn::Scene again = firn::parse_scene(scene.resolved_toml, "fuzz.toml", "");
  if (!(again == scene)) std::abort();
  return 0;
}
