// Variants and overrides over any document, also one that is no scene: what they are laid over
// without a finding is a document still, whose text parses and is written the same again.
#include <cstdint>
#include <cstdlib>

#include "firn/error.h"
#include "src/scene/overlay.h"
#include "tests/fuzz/scene_options.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace firn::scene;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const firn::SceneOptions options = firn::fuzz::options_of(text);
  Node document;
  try {
    Findings findings;
    document = parse_document(text, "fuzz.toml");
    apply_variant(document, options.variant, findings);
    apply_overrides(document, options.overrides, findings);
    findings.throw_if_any();
    anchor_paths(document, "/scenes");
  } catch (const firn::Error&) {
    return 0;
  }
  const std::string written = write_document(document);
  if (write_document(parse_document(written, "written")) != written) std::abort();
  return 0;
}
