#include "src/scene/font_file.h"

#if FIRN_WITH_TEXT
#include <fontconfig/fontconfig.h>

#include <memory>
#endif

namespace firn {

#if FIRN_WITH_TEXT
namespace {

const FcChar8* chars(const std::string& text) {
  return reinterpret_cast<const FcChar8*>(text.c_str());
}

// fontconfig always finds some font.
bool is_of_family(const FcPattern* font, const std::string& family) {
  FcChar8* name = nullptr;
  for (int i = 0; FcPatternGetString(font, FC_FAMILY, i, &name) == FcResultMatch; ++i)
    if (FcStrCmpIgnoreCase(name, chars(family)) == 0) return true;
  return false;
}

}  // namespace

// A configuration of its own, which is given back: the global one would stay.
std::optional<std::string> find_font_file(const std::string& family) {
  const std::unique_ptr<FcConfig, decltype(&FcConfigDestroy)> config(FcInitLoadConfigAndFonts(),
                                                                     FcConfigDestroy);
  using Pattern = std::unique_ptr<FcPattern, decltype(&FcPatternDestroy)>;
  const Pattern wanted(FcPatternCreate(), FcPatternDestroy);
  if (!config || !wanted) return std::nullopt;
  FcPatternAddString(wanted.get(), FC_FAMILY, chars(family));
  FcConfigSubstitute(config.get(), wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult result = FcResultNoMatch;
  const Pattern font(FcFontMatch(config.get(), wanted.get(), &result), FcPatternDestroy);
  FcChar8* file = nullptr;
  if (!font || !is_of_family(font.get(), family) ||
      FcPatternGetString(font.get(), FC_FILE, 0, &file) != FcResultMatch)
    return std::nullopt;
  return reinterpret_cast<const char*>(file);
}
#else
std::optional<std::string> find_font_file(const std::string&) { return std::nullopt; }
#endif

}  // namespace firn
