// Whether a picture can be as large as its first bytes say: nothing is allocated for pixels that
// cannot be there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace firn {

// Whether the PNG file may hold rows of so many bytes in all. Deflate makes at most 1032 bytes of
// one: 258 of two bits.
inline bool may_hold(const std::string& path, std::uint64_t bytes) {
  constexpr std::uint64_t kMostExpansion = 1032;
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  return error || bytes / kMostExpansion <= size;
}

}  // namespace firn
