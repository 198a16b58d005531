#include "src/io/made_folders.h"

#include <unistd.h>

#include <cerrno>

#include "src/io/folder.h"
#include "src/io/posix_file.h"

namespace fs = std::filesystem;

namespace firn {
namespace {

// A folder that may be written to but not read cannot be opened, and its files are no worse for it.
void sync_if_readable(const fs::path& parent) {
  const fs::path folder = parent.empty() ? "." : parent;
  if (::access(folder.c_str(), R_OK) == 0) sync_directory(folder);
}

}  // namespace

void MadeFolders::make(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> missing;
  for (fs::path at = folder; !at.empty() && !fs::exists(at, error); at = at.parent_path())
    missing.push_back(at);
  error = {};
  for (auto at = missing.rbegin(); at != missing.rend() && !error; ++at)
    if (fs::create_directory(*at, error)) {
      made_.push_back(*at);
      sync_if_readable(at->parent_path());
    }
  if (error) throw file_error(folder, "create the folder", error.value());
  if (!fs::is_directory(folder)) throw file_error(folder, "create the folder", ENOTDIR);
}

MadeFolders::~MadeFolders() {
  for (auto at = made_.rbegin(); at != made_.rend(); ++at) {
    std::error_code error;
    if (fs::is_directory(*at, error))
      ::rmdir(at->c_str());  // which refuses one that holds something
    else if (entries_of(at->parent_path(), error).size() == 1)
      ::unlink(at->c_str());
  }
}

}  // namespace firn
