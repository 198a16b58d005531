// The folder of checkpoints of a run: which files are checkpoints, which of them are kept, which
// one to go on from.
#include <algorithm>

#include "firn/error.h"
#include "src/io/checkpoint.h"
#include "src/io/numbered_file.h"

namespace firn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "checkpoint", kExtension = "firn";

int frame_of(const fs::path& path) {
  return numbered_file_frame(path.filename().string(), kPrefix, kExtension).value_or(-1);
}

// Keeps the new checkpoint and the last one before it. Those of later frames belong to a future
// that was given up when the run was resumed from an earlier frame. Failing to remove one harms
// nothing.
void remove_superseded(const fs::path& directory, int frame) {
  const std::vector<fs::path> all = list_checkpoints(directory);
  const auto current =
      std::find_if(all.begin(), all.end(), [&](auto& p) { return frame_of(p) == frame; });
  for (auto it = all.begin(); it != all.end(); ++it) {
    if (it == current || it + 1 == current) continue;
    std::error_code ignored;
    fs::remove(*it, ignored);
  }
}

}  // namespace

fs::path write_checkpoint(const fs::path& directory, const Checkpoint& checkpoint) {
  const fs::path path = directory / numbered_file_name(kPrefix, checkpoint.frame, kExtension);
  write_checkpoint_file(path, checkpoint);
  remove_superseded(directory, checkpoint.frame);
  return path;
}

std::vector<fs::path> list_checkpoints(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error))
    if (frame_of(it->path()) >= 0) paths.push_back(it->path());
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
