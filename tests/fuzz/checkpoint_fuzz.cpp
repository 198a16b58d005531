// The reader of checkpoints. Each input is parsed as it is and once more with its checksums and its
// length mended, since no random input gets past those. Either way the reader returns or throws
// Error{kFile}, or Error{kDevice} without memory.
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "firn/error.h"
#include "src/io/checkpoint.h"
#include "src/io/checkpoint_format.h"

namespace {

using namespace firn;

void parse(std::span<const std::byte> bytes) {
  try {
    // What the reader accepts, the writer can write again.
    const Checkpoint checkpoint = parse_checkpoint(bytes, "input");
    if (parse_checkpoint(encode_checkpoint(checkpoint), "copy") != checkpoint) std::abort();
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::kFile && error.category() != ErrorCategory::kDevice)
      std::abort();
  }
}

std::uint32_t crc(const void* data, std::size_t size) {
  return size ? static_cast<std::uint32_t>(crc32_z(0, static_cast<const Bytef*>(data), size)) : 0;
}

void mend(std::vector<std::byte>& bytes) {
  CheckpointHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.magic = kCheckpointMagic;
  header.version = kCheckpointVersion;
  header.reserved = 0;
  std::size_t begin = sizeof header;
  for (CheckpointSection& section : header.sections) {
    section.reserved = 0;
    section.stored_size = std::min<std::uint64_t>(section.stored_size, bytes.size() - begin);
    section.stored_crc = crc(bytes.data() + begin, section.stored_size);
    begin += section.stored_size;
  }
  bytes.resize(begin);
  header.file_size = begin;
  header.header_crc = crc(&header, offsetof(CheckpointHeader, header_crc));
  std::memcpy(bytes.data(), &header, sizeof header);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  parse(bytes);
  if (bytes.size() < sizeof(CheckpointHeader)) return 0;
  mend(bytes);
  parse(bytes);
  return 0;
}
