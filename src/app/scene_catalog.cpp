// The search for scene files.
#include "src/app/scene_catalog.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

#include "firn/error.h"
#include "src/scene/findings.h"

namespace fs = std::filesystem;

namespace firn::app {
namespace {

// The sources that a build folder belongs to; empty if it is none.
fs::path sources_of(const fs::path& build) {
  constexpr std::string_view kHome = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  std::ifstream cache(build / "CMakeCache.txt");
  for (std::string line; std::getline(cache, line);)
    if (line.starts_with(kHome)) return line.substr(kHome.size());
  return {};
}

std::vector<fs::path> scene_folders() {
  std::vector<fs::path> folders;
  if (const char* named = std::getenv("FIRN_SCENES")) {
    std::istringstream list(named);
    for (std::string folder; std::getline(list, folder, ':');)
      if (!folder.empty()) folders.emplace_back(folder);
  }
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (!failure) {
    const fs::path beside = program.parent_path(), sources = sources_of(beside);
    folders.push_back((beside / FIRN_DATA_FOLDER / "firn/scenes").lexically_normal());
    if (!sources.empty()) folders.push_back(sources / "scenes");
  }
  folders.emplace_back("scenes");
  return folders;
}

}  // namespace

std::vector<fs::path> scene_files() {
  std::map<std::string, fs::path> by_name;
  for (const fs::path& folder : scene_folders()) {
    std::error_code failure;  // a folder that is missing or unreadable has no scenes
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure))
      if (entry.path().extension() == ".toml")
        by_name.emplace(entry.path().stem().string(), entry.path());
  }
  std::vector<fs::path> files;
  files.reserve(by_name.size());
  for (const auto& [name, path] : by_name) files.push_back(path);
  return files;
}

std::string find_scene(const std::string& name_or_path) {
  std::error_code failure;
  const fs::file_status there = fs::status(name_or_path, failure);
  // A pipe is one as well, as of <(...) or /dev/stdin.
  const bool found = fs::exists(there) && !fs::is_directory(there);
  if (found || failure == std::errc::permission_denied) return name_or_path;
  const std::vector<fs::path> files = scene_files();
  std::vector<std::string> names;
  for (const fs::path& file : files) {
    names.push_back(file.stem().string());
    if (names.back() == name_or_path) return file.string();
  }
  if (fs::exists(there)) return name_or_path;  // whose reader says that it is a folder
  const std::string stem = fs::path(name_or_path).stem().string();
  throw Error(ErrorCategory::kFile,
              fmt::format("{}: no such scene file{}; 'firn scenes' lists those that come with firn",
                          name_or_path, scene::suggestion(stem, {names.begin(), names.end()})));
}

}  // namespace firn::app
