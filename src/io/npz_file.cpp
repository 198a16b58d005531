// NPZ: a ZIP archive of NPY arrays. Members are stored uncompressed, because the low bits of
// particle data are noise to a compressor and numpy then reads at disk speed, and in the ZIP64 form
// throughout, so that there is one code path whatever the size. Formats: PKWARE APPNOTE 4.3, 4.5.3;
// numpy.lib.format 1.0.
#include <zlib.h>

#include <bit>
#include <type_traits>

#include "src/io/atomic_file.h"
#include "src/io/particle_channels.h"
#include "src/io/particle_files.h"

static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie");

namespace firn {
namespace {

constexpr std::uint16_t kZip64Version = 45;          // "needed to extract": 4.5, ZIP64
constexpr std::uint16_t kUnixVersion = 3 << 8 | 45;  // "made by"
constexpr std::uint16_t kZip64Extra = 1;             // tag of the extra field with 64-bit sizes
constexpr std::uint32_t kSeeZip64 = 0xffffffff;      // "the value stands in the ZIP64 record"
constexpr std::uint16_t kStored = 0, kUtf8Names = 1 << 11;
constexpr std::uint32_t kDosDate = (0u << 9 | 1 << 5 | 1)
                                   << 16;               // 1980-01-01 00:00: equal runs, equal bytes
constexpr std::uint32_t kRegularFile = 0100644u << 16;  // Unix mode, in the upper half

// Appends integers byte by byte, in the width of their type.
class Record {
 public:
  template <class... T>
  Record& add(T... values) {
    (text_.append(reinterpret_cast<const char*>(&values), sizeof(T)), ...);
    return *this;
  }
  Record& add_text(const std::string& text) {
    text_ += text;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Member {
  std::string name;
  std::uint64_t size = 0, offset = 0;
  std::uint32_t crc = 0;
};

std::string local_header(const Member& m) {
  return Record()
      .add(std::uint32_t{0x04034b50}, kZip64Version, kUtf8Names, kStored, kDosDate, m.crc,
           kSeeZip64, kSeeZip64, static_cast<std::uint16_t>(m.name.size()), std::uint16_t{20})
      .add_text(m.name)
      .add(kZip64Extra, std::uint16_t{16}, m.size, m.size)
      .text();
}

std::string central_header(const Member& m) {
  constexpr std::uint16_t kNoComment = 0, kDisk = 0, kBinary = 0;
  return Record()
      .add(std::uint32_t{0x02014b50}, kUnixVersion, kZip64Version, kUtf8Names, kStored, kDosDate,
           m.crc, kSeeZip64, kSeeZip64, static_cast<std::uint16_t>(m.name.size()),
           std::uint16_t{28}, kNoComment, kDisk, kBinary, kRegularFile, kSeeZip64)
      .add_text(m.name)
      .add(kZip64Extra, std::uint16_t{24}, m.size, m.size, m.offset)
      .text();
}

// The ZIP64 end record, its locator, and the classic end record that points to them.
std::string end_records(std::uint64_t members, std::uint64_t offset, std::uint64_t size) {
  constexpr std::uint32_t kDisk = 0;
  return Record()
      .add(std::uint32_t{0x06064b50}, std::uint64_t{44}, kUnixVersion, kZip64Version, kDisk, kDisk,
           members, members, size, offset)
      .add(std::uint32_t{0x07064b50}, kDisk, offset + size, std::uint32_t{1})
      .add(std::uint32_t{0x06054b50}, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0xffff},
           std::uint16_t{0xffff}, kSeeZip64, kSeeZip64, std::uint16_t{0})
      .text();
}

template <class T>
const char* numpy_type() {
  if constexpr (std::is_same_v<T, float>)
    return "<f4";
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return "<u2";
  else
    return "<u4";
}

std::string numpy_shape(std::size_t particles, ChannelRank rank, int dimension) {
  const std::string d = std::to_string(dimension), n = std::to_string(particles);
  if (component_count(rank, dimension) == 1) return "(" + n + ",)";
  return "(" + n + ", " + d + (rank == ChannelRank::kTensor ? ", " + d : "") + ")";
}

// Padded with spaces so that the array starts at a multiple of 64 bytes, and ended by a newline.
std::string npy_header(const char* type, const std::string& shape) {
  constexpr std::size_t kPrefix = 10, kAlign = 64;
  std::string dict =
      "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': " + shape + ", }";
  const std::size_t total = (kPrefix + dict.size() + 1 + kAlign - 1) / kAlign * kAlign;
  dict.append(total - kPrefix - dict.size() - 1, ' ').append("\n");
  return std::string("\x93NUMPY\x01\x00", 8) +
         Record().add(static_cast<std::uint16_t>(dict.size())).text() + dict;
}

// Writes header and array at `offset`; returns the directory entry.
Member write_member(AtomicFile& file, const ChannelArray& channel, std::size_t particles,
                    int dimension, std::uint64_t offset) {
  return std::visit(
      [&]<class T>(const std::vector<T>& values) {
        const std::string npy =
            npy_header(numpy_type<T>(), numpy_shape(particles, channel.rank, dimension));
        const auto data = std::as_bytes(std::span(values));
        uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(npy.data()), npy.size());
        if (!data.empty())  // a null pointer would reset the sum
          crc = crc32_z(crc, reinterpret_cast<const Bytef*>(data.data()), data.size());
        Member member{channel.name + ".npy", npy.size() + data.size(), offset,
                      static_cast<std::uint32_t>(crc)};
        file.write(local_header(member));
        file.write(npy);
        file.write(data);
        return member;
      },
      channel.values);
}

}  // namespace

void write_npz(const std::filesystem::path& path, const ParticleColumns& columns) {
  AtomicFile file(path);
  std::uint64_t offset = 0;
  std::string directory;
  for (const ChannelArray& array : columns.channels) {
    const Member member = write_member(file, array, columns.particles, columns.dimension, offset);
    offset += local_header(member).size() + member.size;
    directory += central_header(member);
  }
  file.write(directory + end_records(columns.channels.size(), offset, directory.size()));
  file.commit();
}

}  // namespace firn
