#include "src/io/posix_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace firn {
namespace {

const char* how_to_mend(int errno_value, bool reading) {
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space or choose a folder on another disk";
    case EFBIG:
      return "; raise the limit on the size of files (ulimit -f) or choose another disk";
    case EACCES:
    case EPERM:
    case EROFS:
      return reading ? "; ask its owner for the right to read it (chmod +r; of a folder +rx)"
                     : "; choose a folder that you may write to";
    case ENOENT:
      return "; check the path";
    case ENOTDIR:
      return "; a part of the path is a file, not a folder";
    default:
      return "";
  }
}

}  // namespace

Error file_error(const std::filesystem::path& path, const std::string& action, int errno_value) {
  return Error(ErrorCategory::kFile, path.string() + ": cannot " + action + ": " +
                                         std::generic_category().message(errno_value) +
                                         how_to_mend(errno_value, action.starts_with("read")));
}

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

FileDescriptor open_file(const std::filesystem::path& path, int flags, const std::string& action) {
  int fd;
  do {
    fd = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) throw file_error(path, action, errno);
  return FileDescriptor(fd);
}

void write_all(const FileDescriptor& file, std::span<const std::byte> bytes,
               const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw file_error(path, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void sync_file(const FileDescriptor& file, const std::filesystem::path& path) {
  // EINVAL: a pipe or a device, which has nothing to make durable.
  if (::fsync(file.get()) != 0 && errno != EINVAL) throw file_error(path, "write", errno);
}

void sync_directory(const std::filesystem::path& directory) {
  const auto& path = directory.empty() ? std::filesystem::path(".") : directory;
  sync_file(open_file(path, O_RDONLY | O_DIRECTORY, "open the folder"), path);
}

std::vector<std::byte> read_file(const std::filesystem::path& path) {
  // O_NONBLOCK: a pipe without a writer must be refused, not waited for.
  const FileDescriptor file = open_file(path, O_RDONLY | O_NONBLOCK, "read");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw file_error(path, "read", errno);
  if (!S_ISREG(status.st_mode))
    throw Error(ErrorCategory::kFile, path.string() + ": cannot read: it is not a regular file");

  std::vector<std::byte> bytes(static_cast<std::size_t>(status.st_size));
  std::size_t count = 0;
  while (count < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + count, bytes.size() - count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error(path, "read", errno);
    if (got == 0) break;  // the file became shorter meanwhile
    count += static_cast<std::size_t>(got);
  }
  bytes.resize(count);
  return bytes;
}

}  // namespace firn
