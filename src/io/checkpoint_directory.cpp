// The folder of checkpoints of a run: which files are checkpoints, which of them are kept, which
// one to go on from.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "firn/error.h"
#include "src/io/checkpoint.h"
#include "src/io/folder.h"
#include "src/io/numbered_file.h"
#include "src/io/posix_file.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "checkpoint", kExtension = "firn";

int frame_of(const fs::path& path) {
  return numbered_file_frame(path.filename().string(), kPrefix, kExtension).value_or(-1);
}

}  // namespace

void prune_checkpoints(const fs::path& directory, int frame, int keep) {
  const std::vector<fs::path> all = list_checkpoints(directory);
  const auto later =
      std::find_if(all.begin(), all.end(), [&](auto& p) { return frame_of(p) > frame; });
  const auto kept = later - std::min<std::ptrdiff_t>(later - all.begin(), keep);
  for (auto it = all.begin(); it != all.end(); ++it) {
    if (it >= kept && it < later) continue;
    std::error_code ignored;
    fs::remove(*it, ignored);
  }
}

fs::path find_checkpoint(const fs::path& directory, int frame) {
  std::string kept;
  for (const fs::path& path : list_checkpoints(directory)) {
    if (frame_of(path) == frame) return path;
    kept += fmt::format("{}{}", kept.empty() ? "" : ", ", frame_of(path));
  }
  throw Error(ErrorCategory::kFile,
              fmt::format("{}: no checkpoint of frame {} is kept; there are those of: {}",
                          directory.string(), frame, kept.empty() ? "none" : kept));
}

fs::path write_checkpoint(const fs::path& directory, const Checkpoint& checkpoint, int keep) {
  fs::path path = directory / numbered_file_name(kPrefix, checkpoint.frame, kExtension);
  write_checkpoint_file(path, checkpoint);
  prune_checkpoints(directory, checkpoint.frame, keep);
  return path;
}

std::vector<fs::path> list_checkpoints(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::path& path : entries_of(directory, error))
    if (frame_of(path) >= 0) paths.push_back(std::move(path));
  if (error && error != std::errc::no_such_file_or_directory)
    throw file_error(directory, "read the folder", error.value());
  std::sort(paths.begin(), paths.end(),
            [](const fs::path& a, const fs::path& b) { return frame_of(a) < frame_of(b); });
  return paths;
}

std::optional<Checkpoint> read_latest_valid_checkpoint(const fs::path& directory,
                                                       std::string* warnings) {
  const std::vector<fs::path> paths = list_checkpoints(directory);
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    try {
      return read_checkpoint(*path);
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::kFile) throw;
      if (!warnings) continue;
      const bool older = path + 1 != paths.rend();
      *warnings += error.what();
      *warnings +=
          older ? "; trying the checkpoint before it\n" : "; there is no earlier checkpoint\n";
    }
  }
  return std::nullopt;
}

}  // namespace firn
