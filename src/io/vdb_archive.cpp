#if defined(FIRN_WITH_OPENVDB)
#include "src/io/vdb_archive.h"

#include <openvdb/io/Archive.h>
#include <zlib.h>

#include <fmt/format.h>

#include <sstream>

#include "firn/version.h"
#include "src/io/atomic_file.h"

namespace firn {
namespace {

// io::Stream writes files without the places of their grids, which programs must then read whole
// to see what is in them; io::File writes under the final name.
class Archive : public openvdb::io::Archive {
 public:
  void write_to(std::ostream& out, const openvdb::GridCPtrVec& grids) const {
    openvdb::io::Archive::write(out, grids, /*seekable=*/true);
  }
};

// Every file gets a random identity, by which readers tell whether it was replaced; one that
// follows from what is in it does as well.
void identify_by_contents(std::string& bytes) {
  constexpr std::size_t kAt = 21, kSize = 36;  // behind magic number, versions and a flag
  if (bytes.size() < kAt + kSize || bytes[kAt + 8] != '-' || bytes[kAt + 23] != '-') return;
  const auto* rest = reinterpret_cast<const Bytef*>(&bytes[kAt + kSize]);
  const std::size_t size = bytes.size() - kAt - kSize;
  const auto crc = static_cast<std::uint32_t>(crc32_z(0, rest, size)),
             sum = static_cast<std::uint32_t>(adler32_z(1, rest, size));
  const std::string name =
      fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", crc, sum >> 16, sum & 0xfff,
                  sum >> 12 & 0xfff, static_cast<std::uint64_t>(size) & 0xffffffffffff);
  bytes.replace(kAt, kSize, name);
}

}  // namespace

void mark_grid(openvdb::GridBase& grid, const FrameMark& mark) {
  grid.setCreator(std::string("Firn ") + kVersion);
  grid.insertMeta("time", openvdb::DoubleMetadata(mark.time));
  grid.insertMeta("frame", openvdb::Int32Metadata(mark.frame));
  grid.insertMeta("up_axis", openvdb::StringMetadata(mark.up));
  grid.insertMeta("units", openvdb::StringMetadata("m, kg, s, K"));
}

void write_grids(const std::filesystem::path& path, const openvdb::GridCPtrVec& grids) {
  std::ostringstream out(std::ios::binary);
  Archive().write_to(out, grids);
  std::string bytes = std::move(out).str();
  identify_by_contents(bytes);
  write_file_atomically(path, std::string_view(bytes));
}

}  // namespace firn
#endif
