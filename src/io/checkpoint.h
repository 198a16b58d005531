// Checkpoints: everything a run needs to go on, in one checksummed file per checkpointed frame. A
// checkpoint is written atomically before an older one is removed, so that there is a loadable one
// at every instant; a file that is cut, changed, foreign or from a newer version is refused by
// name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace firn {

struct Checkpoint {
  int frame = 0;                 // frames completed, >= 0
  double time = 0;               // s, simulated
  std::string scene_toml;        // the resolved scene
  std::string stats_json;        // state of the running outputs (RunTotals::to_json)
  std::vector<std::byte> state;  // Simulation::save_state()

  bool operator==(const Checkpoint&) const = default;
};

// Writes `directory`/checkpoint_<frame>.firn and, once it is durable, prunes the folder. Returns
// its path. Throws Error{kFile}; the older checkpoints are then untouched.
std::filesystem::path write_checkpoint(const std::filesystem::path& directory,
                                       const Checkpoint& checkpoint, int keep = 2);

// Removes all checkpoints but the `keep` newest up to `frame`. Those of later frames belong to a
// future that is given up when a run goes on from an earlier frame. Failing to remove one harms
// nothing.
void prune_checkpoints(const std::filesystem::path& directory, int frame, int keep);

// The checkpoint of a frame. Throws Error{kFile} that lists those that are kept if it is not among
// them.
std::filesystem::path find_checkpoint(const std::filesystem::path& directory, int frame);

// Throws Error{kFile} that says what is wrong with the file.
Checkpoint read_checkpoint(const std::filesystem::path& path);

// Writes one file, compressing piece by piece: beside the state no memory is needed. Throws
// Error{kFile}.
void write_checkpoint_file(const std::filesystem::path& path, const Checkpoint& checkpoint);

// The bytes of a checkpoint file.
std::vector<std::byte> encode_checkpoint(const Checkpoint& checkpoint);

// As read_checkpoint, from the bytes of a file; `name` stands for it in messages.
Checkpoint parse_checkpoint(std::span<const std::byte> bytes, const std::string& name);

// The checkpoints of a folder by ascending frame; empty if there is no such folder. Throws
// Error{kFile} if it cannot be read.
std::vector<std::filesystem::path> list_checkpoints(const std::filesystem::path& directory);

// The last checkpoint that can be read. For each later one that cannot, a line that says why is
// appended to `*warnings` (if not null). None if no checkpoint can be read. Throws Error{kDevice}
// if one does not fit into memory.
std::optional<Checkpoint> read_latest_valid_checkpoint(const std::filesystem::path& directory,
                                                       std::string* warnings);

}  // namespace firn
