#include "src/io/pvd_file.h"

#include <fmt/format.h>

#include "src/io/atomic_file.h"

namespace firn {

void write_pvd(const std::filesystem::path& path, const std::vector<TimedFile>& files) {
  std::string text =
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
      "  <Collection>\n";
  for (const auto& [file, time] : files)
    text += fmt::format("    <DataSet timestep=\"{:.17g}\" part=\"0\" file=\"{}\"/>\n", time, file);
  write_file_atomically(path, std::string_view(text + "  </Collection>\n</VTKFile>\n"));
}

}  // namespace firn
