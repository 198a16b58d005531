// What lies in a folder. The iterators of the standard library end the program where memory is out
// (libstdc++ 12).
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace firn {

// The paths of its entries, in no order; none, and the reason, where it cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                              std::error_code& error);

}  // namespace firn
