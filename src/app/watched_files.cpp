#include "src/app/watched_files.h"

#include <system_error>

namespace firn::app {

void WatchedFiles::add(const std::string& path) { files_[path] = state_of(path); }

std::optional<std::string> WatchedFiles::changed() const {
  for (const auto& [path, was] : files_)
    if (state_of(path) != was) return path;
  return std::nullopt;
}

void WatchedFiles::remember() {
  for (auto& [path, state] : files_) state = state_of(path);
}

std::optional<WatchedFiles::State> WatchedFiles::state_of(const std::string& path) {
  std::error_code missing, unknown;
  const State state{std::filesystem::last_write_time(path, missing),
                    std::filesystem::file_size(path, unknown)};
  return missing || unknown ? std::nullopt : std::optional(state);
}

}  // namespace firn::app
