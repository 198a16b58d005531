// Files whose changes are looked for, by their sizes and times.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace firn::app {

class WatchedFiles {
 public:
  // As it is now; a file that is not there may appear.
  void add(const std::string& path);
  // The first that is not as it was when it was added, or that is missing.
  std::optional<std::string> changed() const;
  // Takes all of them as they are now.
  void remember();

 private:
  struct State {
    std::filesystem::file_time_type time;
    std::uintmax_t size = 0;
    bool operator==(const State&) const = default;
  };
  static std::optional<State> state_of(const std::string& path);  // none: not there

  std::map<std::string, std::optional<State>> files_;
};

}  // namespace firn::app
