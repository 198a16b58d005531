// The collection that ParaView opens as one series: which VTP file holds which time.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace firn {

// A file, relative to the collection's folder, and its time in s.
using TimedFile = std::pair<std::string, double>;

// Throws Error{kFile}.
void write_pvd(const std::filesystem::path& path, const std::vector<TimedFile>& files);

}  // namespace firn
