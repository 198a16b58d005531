// libFuzzer target for the reader of checkpoints. Each input is parsed as it is and once more with
// its checksums and its length mended, since no random input gets past those. Either way the reader
// returns or throws Error{kFile}, or Error{kDevice} without memory.
//   ./checkpoint_fuzz -max_len=4096 -rss_limit_mb=1024 -max_total_time=60 corpus/
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "firn/error.h"
#include "src/io/checkpoint.h"
#include "src/io/checkpoint_format.h"

namespace {

using namespace firn;

void parse(std::span<const std::byte> bytes) {
  try {
    // What the reader accepts, the writer can write again.
    const Checkpoint checkpoint = parse_checkpoint(bytes, "input");
    if (parse_checkpoint(encode_checkpoint(checkpoint), "copy") != checkpoint) __builtin_trap();
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::kFile && error.category() != ErrorCategory::kDevice)
      __builtin_trap();
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

// Mutations of real checkpoints, so that the fuzzer need not invent zstd frames.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 64 == 0) {
    Checkpoint checkpoint{static_cast<int>(random() % 100), 0.5, std::string(random() % 200, 'a'),
                          std::string(random() % 50, 'b'), std::vector<std::byte>(random() % 600)};
    const std::vector<std::byte> bytes = encode_checkpoint(checkpoint);
    if (bytes.size() <= max_size) {
      std::memcpy(data, bytes.data(), bytes.size());
      size = bytes.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
