#include "src/io/folder.h"

#include <dirent.h>

#include <cerrno>
#include <memory>
#include <string_view>

namespace firn {

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder,
                                              std::error_code& error) {
  struct Close {
    void operator()(DIR* stream) const { ::closedir(stream); }
  };
  std::vector<std::filesystem::path> paths;
  const std::unique_ptr<DIR, Close> stream(::opendir(folder.c_str()));
  error = {};
  if (stream == nullptr) {
    error.assign(errno, std::generic_category());
    return paths;
  }
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") paths.push_back(folder / name);
    errno = 0;
  }
  if (errno != 0) error.assign(errno, std::generic_category());
  return paths;
}

}  // namespace firn
