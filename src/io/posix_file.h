// Thin RAII over POSIX files. Streams hide which call failed and why, and offer no fsync;
// everything in a run's folder must be durable and every failure must name the path and the reason.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "firn/error.h"

namespace firn {

// Error{kFile}: "<path>: cannot <action>: <reason of errno_value>", with how to mend it where that
// is known; an action that begins with "read" needs no folder to write to.
Error file_error(const std::filesystem::path& path, const std::string& action, int errno_value);

// Owns a file descriptor; -1 owns nothing.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// open(2), close-on-exec so that a child (ffmpeg) never inherits a lock or a half-written file.
FileDescriptor open_file(const std::filesystem::path& path, int flags, const std::string& action);

// Writes all of `bytes` at the file's position; `path` is for messages.
void write_all(const FileDescriptor& file, std::span<const std::byte> bytes,
               const std::filesystem::path& path);

// Makes the contents of the file durable.
void sync_file(const FileDescriptor& file, const std::filesystem::path& path);
// Makes the names in a folder durable.
void sync_directory(const std::filesystem::path& directory);

// The whole of a regular file.
std::vector<std::byte> read_file(const std::filesystem::path& path);

}  // namespace firn
