// The readers of particle files. The first byte chooses: 0 NPZ, 1 PLY in 3D, 2 in 2D. An archive is
// read as it is and once more with its checksums mended. Either way the reader returns columns that
// are as long as they say or throws Error{kFile}.
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "firn/error.h"
#include "src/io/particle_files.h"
#include "tests/fuzz/input_file.h"

namespace {

using namespace firn;

void read(std::span<const std::byte> bytes, int kind) {
  const fuzz::InputFile file(bytes);
  try {
    const ParticleColumns columns =
        kind == 0 ? read_npz(file.path()) : read_ply(file.path(), kind == 1 ? 3 : 2);
    for (const ChannelArray& channel : columns.channels)
      if (std::visit([](const auto& values) { return values.size(); }, channel.values) !=
          columns.particles *
              static_cast<std::size_t>(component_count(channel.rank, columns.dimension)))
        std::abort();
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::kFile) std::abort();
  }
}

// Every member that lies within the file gets its sum.
void mend(std::span<std::byte> bytes) {
  constexpr std::size_t kCrc = 14, kNameSize = 26, kName = 30, kSize = 4, kExtra = 20;
  for (std::size_t at = 0; at + kName < bytes.size();) {
    std::uint16_t name = 0;
    std::uint64_t size = 0;
    std::memcpy(&name, &bytes[at + kNameSize], sizeof name);
    const std::size_t extra = at + kName + name, data = extra + kExtra;
    if (data > bytes.size()) return;
    std::memcpy(&size, &bytes[extra + kSize], sizeof size);
    size = std::min<std::uint64_t>(size, bytes.size() - data);
    std::memcpy(&bytes[extra + kSize], &size, sizeof size);
    const auto crc = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()) + data, size));
    std::memcpy(&bytes[at + kCrc], &crc, sizeof crc);
    at = data + size;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const int kind = data[0] % 3;
  std::vector<std::byte> bytes(size - 1);
  if (size > 1) std::memcpy(bytes.data(), data + 1, size - 1);
  read(bytes, kind);
  if (kind != 0) return 0;
  mend(bytes);
  read(bytes, kind);
  return 0;
}
