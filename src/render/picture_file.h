// Files of pictures, which are whole or not there: written to a temporary name beside their own,
// and renamed. Devices and pipes are written to as they are.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>

namespace firn {

using PictureFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Throws Error{kFile}: "PATH: cannot WHAT the picture: REASON".
[[noreturn]] void fail_picture(const std::string& path, const char* what,
                               const std::string& reason);
PictureFile open_picture(const std::string& name, const char* mode, const std::string& path,
                         const char* what);

// `write` returns why it failed, nothing if it has not. Throws Error{kFile}; an older file then
// stays.
void write_picture_file(const std::string& path,
                        const std::function<std::string(std::FILE*)>& write);

}  // namespace firn
