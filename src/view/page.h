// The files of the page, which the build puts into the program (scripts/cmake/embed.cmake).
#pragma once

#include <span>
#include <string_view>

namespace firn::view {

struct PageFile {
  std::string_view name, content;
};
std::span<const PageFile> page_files();

}  // namespace firn::view
