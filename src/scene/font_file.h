// Where the fonts of this machine lie, as fontconfig knows them.
#pragma once

#include <optional>
#include <string>

namespace firn {

// The file of the regular style of this family ("DejaVu Sans"); nothing if the machine has no such
// family, for which fontconfig would put another, or the build has no fontconfig (FIRN_WITH_TEXT).
std::optional<std::string> find_font_file(const std::string& family);

}  // namespace firn
