#include "src/render/picture_file.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "firn/error.h"

namespace firn {
namespace {

// Returns the reason of failure, empty on success.
std::string write_to(const std::string& name, const std::string& path,
                     const std::function<std::string(std::FILE*)>& write) {
  PictureFile file = open_picture(name, "wb", path, "write");
  if (std::string reason = write(file.get()); !reason.empty()) return reason;
  if (std::fflush(file.get()) != 0) return std::strerror(errno);
  // A pipe or a device has nothing to make durable.
  if (fsync(fileno(file.get())) != 0 && errno != EINVAL && errno != ENOTSUP)
    return std::strerror(errno);
  if (std::fclose(file.release()) != 0) return std::strerror(errno);
  return {};
}

// A device or a pipe, which is written to and not replaced.
bool is_no_file(const std::string& path) {
  std::error_code ignored;
  const auto there = std::filesystem::status(path, ignored);
  return std::filesystem::exists(there) && !std::filesystem::is_regular_file(there);
}
// Of each writer its own, also of other processes'.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return path + "." + std::to_string(::getpid()) + "-" + std::to_string(counter++) + ".part";
}

}  // namespace

void fail_picture(const std::string& path, const char* what, const std::string& reason) {
  throw Error(ErrorCategory::kFile, path + ": cannot " + what + " the picture: " + reason);
}

PictureFile open_picture(const std::string& name, const char* mode, const std::string& path,
                         const char* what) {
  PictureFile file(std::fopen(name.c_str(), mode), &std::fclose);
  if (!file) fail_picture(path, what, std::strerror(errno));
  return file;
}

void write_picture_file(const std::string& path,
                        const std::function<std::string(std::FILE*)>& write) {
  if (is_no_file(path)) {
    if (const std::string reason = write_to(path, path, write); !reason.empty())
      fail_picture(path, "write", reason);
    return;
  }
  const std::string temporary = temporary_name(path);
  std::string reason = write_to(temporary, path, write);
  if (reason.empty() && std::rename(temporary.c_str(), path.c_str()) != 0)
    reason = std::strerror(errno);
  if (reason.empty()) return;
  std::remove(temporary.c_str());
  fail_picture(path, "write", reason);
}

}  // namespace firn
