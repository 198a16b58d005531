// Files that are either whole or absent, and line files that grow by whole lines. A run can be
// killed at any instant and the disk can fill up; whatever carries its final name in the output
// folder is then complete.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "src/io/posix_file.h"

namespace firn {

// Writes to a temporary name in the folder of `path`; `commit` makes the contents durable, gives
// them their name (replacing an older file) and makes the name durable. Destroyed without a commit,
// it leaves nothing behind. A device or a pipe is written to, not replaced. Every failure is an
// Error{kFile} that names `path` and the reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void cut(std::size_t size);                        // forgets what was written beyond
  void overwrite(std::span<const std::byte> start);  // replaces the first bytes
  void commit();

 private:
  std::filesystem::path path_, temporary_;  // the latter empty: written to directly
  FileDescriptor file_;
  bool committed_ = false;
};

void write_file_atomically(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

// True for the temporary names of AtomicFile, which a killed process leaves behind.
bool is_temporary_file(const std::filesystem::path& path);

// A text file that grows line by line. Each line reaches the system in one piece before `append`
// returns, so that a killed process loses none; `sync` makes them survive a power cut.
class AppendFile {
 public:
  // A new, empty file; an older one is replaced.
  static AppendFile create(const std::filesystem::path& path);

  // Continues a file: keeps its leading whole lines (without their ends, LF or CR LF) as long as
  // `keep` says so. The rest, i.e. lines of frames that will be computed again and a torn last
  // line, is cut off before anything is appended or synced, and not before: whoever opens several
  // files may find that one of them will not do. A missing file counts as empty.
  static AppendFile resume(const std::filesystem::path& path,
                           const std::function<bool(std::string_view)>& keep);

  // `line` without the newline. If it cannot be written whole, the file stays as it was.
  void append(std::string_view line);
  void sync();
  bool empty() const { return size_ == 0; }  // but for what is to be cut off

 private:
  AppendFile(const std::filesystem::path& path, FileDescriptor file, std::size_t size, bool longer);
  void cut_off_the_rest();

  std::filesystem::path path_;
  FileDescriptor file_;
  std::size_t size_ = 0;
  bool longer_ = false;  // than what is kept of it
};

}  // namespace firn
