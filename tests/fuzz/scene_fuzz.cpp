// The scene reader: whatever the bytes, parse_scene returns a scene or throws firn::Error, and a
// scene it returns resolves to text that parses to the same scene.
#include <cstdint>
#include <cstdlib>

#include "firn/error.h"
#include "tests/fuzz/scene_options.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  firn::Scene scene;
  try {
    scene = firn::parse_scene(text, "fuzz.toml", "", firn::fuzz::options_of(text));
  } catch (const firn::Error&) {
    return 0;
  }
  const firn::Scene again = firn::parse_scene(scene.resolved_toml, "fuzz.toml", "");
  if (!(again == scene)) std::abort();
  return 0;
}
