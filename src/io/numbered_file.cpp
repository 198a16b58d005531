#include "src/io/numbered_file.h"

#include <fmt/format.h>

#include <charconv>

namespace firn {

std::string numbered_file_name(std::string_view prefix, int frame, std::string_view extension) {
  return fmt::format("{}_{:06}.{}", prefix, frame, extension);
}

std::optional<int> numbered_file_frame(std::string_view name, std::string_view prefix,
                                       std::string_view extension) {
  if (name.size() <= prefix.size()) return std::nullopt;
  int frame = -1;
  std::from_chars(name.data() + prefix.size() + 1, name.data() + name.size(), frame);
  if (frame < 0 || name != numbered_file_name(prefix, frame, extension)) return std::nullopt;
  return frame;
}

}  // namespace firn
