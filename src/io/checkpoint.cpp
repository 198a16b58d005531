// Encoding and decoding of checkpoints. Nothing a file says is believed before its checksum is
// verified, and sizes are checked against the file's own before anything is allocated: the reader
// is fuzzed (tests/fuzz).
#include "src/io/checkpoint.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>

#include "firn/error.h"
#include "src/io/atomic_file.h"
#include "src/io/checkpoint_format.h"
#include "src/io/posix_file.h"

namespace firn {
namespace {

using Bytes = std::vector<std::byte>;
using ByteSpan = std::span<const std::byte>;

constexpr std::array<const char*, kCheckpointSections> kSectionNames{"scene", "statistics",
                                                                     "state"};

// Of `bytes` after what has the sum `before`.
std::uint32_t crc_of(ByteSpan bytes, std::uint32_t before = 0) {
  if (bytes.empty()) return before;  // crc32_z would read a null pointer as "start"
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t crc_of(const CheckpointHeader& header) {
  return crc_of(std::as_bytes(std::span(&header, 1)).first(offsetof(CheckpointHeader, header_crc)));
}

[[noreturn]] void refuse(const std::string& name, const std::string& reason) {
  throw Error(ErrorCategory::kFile, name + ": cannot read this checkpoint: " + reason);
}

// Refuses in the order that gives the most telling message: what it is, how new, how long, then
// whether it is intact.
CheckpointHeader parse_header(ByteSpan bytes, const std::string& name) {
  if (bytes.empty()) refuse(name, "it is empty");
  CheckpointHeader header{};
  const std::size_t magic_size = std::min(bytes.size(), sizeof header.magic);
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  if (std::memcmp(kCheckpointMagic.data(), header.magic.data(), magic_size) != 0)
    refuse(name, "it is not a checkpoint of Firn");
  if (bytes.size() < offsetof(CheckpointHeader, frame)) refuse(name, "it is truncated");
  if (header.version != kCheckpointVersion)
    refuse(name, "it has format " + std::to_string(header.version) + ", this program reads " +
                     std::to_string(kCheckpointVersion) + "; use " +
                     (header.version > kCheckpointVersion ? "a newer" : "the older") +
                     " Firn, or the file is damaged");
  if (bytes.size() < sizeof header) refuse(name, "it is truncated");
  if (header.header_crc != crc_of(header)) refuse(name, "its header is damaged");
  return header;
}

// Holds for every header that the writer makes; guards the reader against one that only looks
// intact.
void check_header(const CheckpointHeader& header, std::uint64_t file_size,
                  const std::string& name) {
  const std::string sizes =
      std::to_string(file_size) + " of " + std::to_string(header.file_size) + " bytes";
  if (file_size < header.file_size) refuse(name, "it is truncated (" + sizes + ")");
  if (file_size > header.file_size) refuse(name, "something was appended to it (" + sizes + ")");
  std::uint64_t rest = file_size - sizeof header;
  bool sane = header.frame >= 0 && std::isfinite(header.time) && header.reserved == 0;
  for (const CheckpointSection& section : header.sections) {
    sane = sane && section.reserved == 0 && section.stored_size <= rest &&
           section.stored_size <= section.size &&
           section.size / kMaxExpansion <= section.stored_size;
    if (!sane) refuse(name, "its header makes no sense");
    rest -= section.stored_size;
  }
  if (rest != 0) refuse(name, "its header makes no sense");
}

// Contents of one section, into a string or a vector of bytes.
template <class Container>
void expand(const CheckpointSection& section, ByteSpan stored, Container& contents,
            const std::string& name, const char* section_name) {
  const std::string damaged = std::string("its ") + section_name + " section is damaged";
  if (crc_of(stored) != section.stored_crc) refuse(name, damaged);
  using Value = typename Container::value_type;
  if (section.stored_size == section.size) {
    const auto* values = reinterpret_cast<const Value*>(stored.data());
    contents.assign(values, values + stored.size());
    return;
  }
  if (ZSTD_getFrameContentSize(stored.data(), stored.size()) != section.size) refuse(name, damaged);
  contents.resize(section.size);
  if (ZSTD_decompress(contents.data(), contents.size(), stored.data(), stored.size()) !=
      section.size)
    refuse(name, damaged);
}

// Where the bytes of a checkpoint go, piece by piece, so that no copy of a large state is made.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(ByteSpan bytes) = 0;
  virtual void cut(std::uint64_t size) = 0;  // forgets what was written beyond
  virtual void overwrite(ByteSpan start) = 0;
};

class ByteSink final : public Sink {
 public:
  void write(ByteSpan piece) override { bytes.insert(bytes.end(), piece.begin(), piece.end()); }
  void cut(std::uint64_t size) override { bytes.resize(size); }
  void overwrite(ByteSpan start) override { std::copy(start.begin(), start.end(), bytes.begin()); }
  Bytes bytes;
};

class FileSink final : public Sink {
 public:
  explicit FileSink(AtomicFile& file) : file_(file) {}
  void write(ByteSpan piece) override { file_.write(piece); }
  void cut(std::uint64_t size) override { file_.cut(size); }
  void overwrite(ByteSpan start) override { file_.overwrite(start); }

 private:
  AtomicFile& file_;
};

// Whether `stored` bytes are worth having in place of `size`, and may be (kMaxExpansion).
bool pays(std::uint64_t stored, std::uint64_t size) {
  return stored < size && size / kMaxExpansion <= stored;
}

// One zstd frame. Ends early once it is as large as what it holds.
CheckpointSection write_compressed(ByteSpan contents, Sink& sink) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                     ZSTD_freeCCtx);
  if (!context) throw std::bad_alloc();
  // Level 1: particle data hardly compresses further, and a run waits for this.
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, 1);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  ZSTD_CCtx_setPledgedSrcSize(context.get(), contents.size());  // the reader asks for it
  Bytes piece(ZSTD_CStreamOutSize());
  ZSTD_inBuffer in{contents.data(), contents.size(), 0};
  CheckpointSection section{contents.size(), 0, 0, 0};
  for (std::size_t left = 1; left != 0 && section.stored_size < section.size;) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    left = ZSTD_compressStream2(context.get(), &out, &in, ZSTD_e_end);
    if (ZSTD_isError(left)) throw std::bad_alloc();  // nothing else can fail here
    const ByteSpan made = ByteSpan(piece).first(out.pos);
    section.stored_crc = crc_of(made, section.stored_crc);
    section.stored_size += made.size();
    sink.write(made);
  }
  return section;
}

CheckpointSection write_section(ByteSpan contents, std::uint64_t offset, Sink& sink) {
  const CheckpointSection compressed = write_compressed(contents, sink);
  if (pays(compressed.stored_size, compressed.size)) return compressed;
  sink.cut(offset);
  sink.write(contents);
  return {contents.size(), contents.size(), crc_of(contents), 0};
}

void encode(const Checkpoint& checkpoint, Sink& sink) {
  const std::array<ByteSpan, kCheckpointSections> contents{
      std::as_bytes(std::span(checkpoint.scene_toml)),
      std::as_bytes(std::span(checkpoint.stats_json)), checkpoint.state};
  CheckpointHeader header{kCheckpointMagic,
                          kCheckpointVersion,
                          checkpoint.frame,
                          checkpoint.time,
                          sizeof header,
                          {},
                          0,
                          0};
  const ByteSpan start = std::as_bytes(std::span(&header, 1));
  sink.write(start);  // keeps its place until the sections are known
  for (int i = 0; i < kCheckpointSections; ++i) {
    header.sections[i] = write_section(contents[i], header.file_size, sink);
    header.file_size += header.sections[i].stored_size;
  }
  header.header_crc = crc_of(header);
  sink.overwrite(start);
}

}  // namespace

Checkpoint parse_checkpoint(ByteSpan bytes, const std::string& name) try {
  const CheckpointHeader header = parse_header(bytes, name);
  check_header(header, bytes.size(), name);
  Checkpoint checkpoint{header.frame, header.time, {}, {}, {}};
  ByteSpan rest = bytes.subspan(sizeof header);
  const auto next = [&](int i, auto& contents) {
    const CheckpointSection& section = header.sections[i];
    expand(section, rest.first(section.stored_size), contents, name, kSectionNames[i]);
    rest = rest.subspan(section.stored_size);
  };
  next(0, checkpoint.scene_toml);
  next(1, checkpoint.stats_json);
  next(2, checkpoint.state);
  return checkpoint;
} catch (const std::bad_alloc&) {  // it may well be intact: no reason to take an older one
  throw Error(ErrorCategory::kDevice,
              name + ": cannot read this checkpoint: out of memory for its contents");
}

Bytes encode_checkpoint(const Checkpoint& checkpoint) {
  ByteSink sink;
  encode(checkpoint, sink);
  return std::move(sink.bytes);
}

void write_checkpoint_file(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  AtomicFile file(path);
  FileSink sink(file);
  encode(checkpoint, sink);
  file.commit();
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  return parse_checkpoint(read_file(path), path.string());
}

}  // namespace firn
