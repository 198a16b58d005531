// Names of the files that a run writes once per frame: <prefix>_<frame, six digits or
// more>.<extension>.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace firn {

std::string numbered_file_name(std::string_view prefix, int frame, std::string_view extension);

// The frame in such a name; none if the name is not exactly what numbered_file_name makes.
std::optional<int> numbered_file_frame(std::string_view name, std::string_view prefix,
                                       std::string_view extension);

}  // namespace firn
