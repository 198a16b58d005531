// A file in memory with the bytes of an input, for readers that take a path.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>

#include <span>

#include "src/io/posix_file.h"

namespace firn::fuzz {

class InputFile {
 public:
  explicit InputFile(std::span<const std::byte> bytes)
      : file_(memfd_create("input", MFD_CLOEXEC)),
        path_(fmt::format("/proc/self/fd/{}", file_.get())) {
    write_all(file_, bytes, path_);
  }
  const std::string& path() const { return path_; }

 private:
  FileDescriptor file_;
  std::string path_;
};

}  // namespace firn::fuzz
