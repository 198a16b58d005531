// The bytes of a checkpoint file: this header, then three sections (scene, stats, state), each a
// zstd frame or, where that would not pay, the bytes as they are. Every byte of the file is covered
// by a CRC-32, which finds any change within 32 consecutive bits; zstd's own content checksum
// stands behind it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace firn {

static_assert(std::endian::native == std::endian::little, "the header is copied as it lies");

// As in PNG: a byte that is no text, and line ends, so that a transfer in text mode is noticed at
// once.
inline constexpr std::array<unsigned char, 8> kCheckpointMagic{0x89, 'F',  'I',  'R',
                                                               'N',  '\r', '\n', 0x1a};
inline constexpr std::uint32_t kCheckpointVersion = 6;
inline constexpr int kCheckpointSections = 3;

// A section expands at most this much; the writer stores what compresses better uncompressed. So
// the size of a file bounds what reading it allocates.
inline constexpr std::uint64_t kMaxExpansion = 256;

struct CheckpointSection {
  std::uint64_t size;         // of the contents
  std::uint64_t stored_size;  // in the file; equal to `size`: not compressed
  std::uint32_t stored_crc;   // of the bytes in the file
  std::uint32_t reserved;     // 0
};

struct CheckpointHeader {
  std::array<unsigned char, 8> magic;
  std::uint32_t version;
  std::int32_t frame;
  double time;
  std::uint64_t file_size;
  std::array<CheckpointSection, kCheckpointSections> sections;
  std::uint32_t reserved;    // 0
  std::uint32_t header_crc;  // of all bytes before it
};
static_assert(sizeof(CheckpointHeader) == 32 + 24 * kCheckpointSections + 8 &&
              std::is_trivially_copyable_v<CheckpointHeader>);

}  // namespace firn
