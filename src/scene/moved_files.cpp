#include "src/scene/moved_files.h"

#include <filesystem>
#include <vector>

#include "src/scene/mesh_sequence.h"

namespace firn::scene {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code ignored;
  return path.find('\0') == std::string::npos && fs::is_regular_file(path, ignored);
}

bool is_of_run(const std::string& directory) {
  return !directory.empty() && is_file((fs::path(directory) / kRunMarker).string());
}

std::string moved_file(const std::string& path, const std::string& directory, int first) {
  const auto is_there = [first](const fs::path& file) {
    return is_file(is_numbered(file.string()) ? numbered_file(file.string(), first)
                                              : file.string());
  };
  if (is_there(path)) return path;
  const fs::path from = fs::absolute(directory).lexically_normal(), to = path;
  std::vector<fs::path> parts(to.begin(), to.end());
  for (std::size_t begin = to.is_absolute() ? 1 : 0; begin < parts.size(); ++begin) {
    fs::path end;
    for (std::size_t i = begin; i < parts.size(); ++i) end /= parts[i];
    for (fs::path folder = from; folder != folder.parent_path(); folder = folder.parent_path())
      if (is_there(folder / end)) return (folder / end).string();
  }
  return path;
}

}  // namespace firn::scene
