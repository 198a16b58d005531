// Folders that are made as they are needed, of which no empty one is left behind.
#pragma once

#include <filesystem>
#include <vector>

namespace firn {

class MadeFolders {
 public:
  MadeFolders() = default;
  MadeFolders(MadeFolders&&) noexcept = default;
  MadeFolders& operator=(MadeFolders&&) = delete;
  // Removes what is still empty of that which was not there before.
  ~MadeFolders();

  // The folder, and those that it lies in; their names are durable. Throws Error{kFile}.
  void make(const std::filesystem::path& folder);
  // A file that was not there before either: it counts as nothing where it is alone in its folder.
  void add_marker(const std::filesystem::path& file) { made_.push_back(file); }

 private:
  std::vector<std::filesystem::path> made_;  // the outer ones first
};

}  // namespace firn
