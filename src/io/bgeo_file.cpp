// BGEO, Houdini's geometry format up to version 11, which later versions read as "classic". Written
// here because no packaged library writes it. The layout is that of the "Geometry format" in
// Houdini's documentation, and what Partio's reader takes.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "firn/error.h"
#include "src/io/atomic_file.h"
#include "src/io/particle_files.h"

static_assert(std::endian::native == std::endian::little, "values are turned around");

namespace firn {
namespace {

enum class HoudiniType : std::uint32_t { kFloat = 0, kInteger = 1, kVector = 5 };

std::uint32_t big_endian(std::uint32_t value) { return __builtin_bswap32(value); }
std::uint32_t big_endian(std::uint16_t value) { return big_endian(std::uint32_t{value}); }
std::uint32_t big_endian(float value) { return big_endian(std::bit_cast<std::uint32_t>(value)); }

// Appends big-endian integers.
class Record {
 public:
  Record& add(std::uint32_t value) {
    value = big_endian(value);
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Record& add_short(std::size_t value) {
    text_ += static_cast<char>(value >> 8);
    text_ += static_cast<char>(value);
    return *this;
  }
  Record& add_text(std::string_view text) {
    text_ += text;
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// A name, how many values of which type, and their defaults.
std::string definition(std::string_view name, int count, HoudiniType type) {
  Record record;
  record.add_short(name.size()).add_text(name).add_short(static_cast<std::size_t>(count));
  record.add(static_cast<std::uint32_t>(type));
  for (int c = 0; c < count; ++c) record.add(0);
  return record.text();
}

std::string definition(const ChannelArray& channel, int dimension) {
  const int count = space_count(channel.rank, dimension);
  const bool real = std::holds_alternative<std::vector<float>>(channel.values);
  const HoudiniType type = !real                                  ? HoudiniType::kInteger
                           : channel.rank == ChannelRank::kVector ? HoudiniType::kVector
                                                                  : HoudiniType::kFloat;
  return definition(channel.name == "velocity" ? "v" : channel.name, count, type);
}

std::string header(const ParticleColumns& columns) {
  const auto points = static_cast<std::uint32_t>(columns.particles),
             attributes = static_cast<std::uint32_t>(columns.channels.size() - 1);
  constexpr std::uint32_t kVersion = 5, kDetails = 2;
  Record record;
  record.add_text("BgeoV").add(kVersion).add(points).add(0).add(0).add(0);  // no primitives, groups
  record.add(attributes).add(0).add(0).add(kDetails);
  for (const ChannelArray& channel : columns.channels)
    if (channel.name != "position") record.add_text(definition(channel, columns.dimension));
  return record.text();
}

// Values of the whole frame, then the end of the file: no more groups, nothing extra.
std::string footer(const FrameMark& mark) {
  Record record;
  record.add_text(definition("time", 1, HoudiniType::kFloat));
  record.add_text(definition("frame", 1, HoudiniType::kInteger));
  record.add(std::bit_cast<std::uint32_t>(static_cast<float>(mark.time)));
  record.add(static_cast<std::uint32_t>(mark.frame));
  return record.add_text(std::string_view("\x00\xff", 2)).text();
}

// Into rows of `stride` numbers.
void copy_rows(const ChannelArray& channel, int dimension, std::size_t begin, std::size_t end,
               std::uint32_t* out, std::size_t stride) {
  std::visit(
      [&](const auto& values) {
        const int flat = component_count(channel.rank, dimension),
                  count = space_count(channel.rank, dimension);
        for (int c = 0; c < count; ++c) {
          const int from = flat_component(channel.rank, dimension, c);
          for (std::size_t p = begin; p < end; ++p)
            out[(p - begin) * stride + c] = from < 0 ? 0 : big_endian(values[p * flat + from]);
        }
      },
      channel.values);
}

}  // namespace

void write_bgeo(const std::filesystem::path& path, const ParticleColumns& columns) {
  if (columns.particles > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorCategory::kFile, path.string() +
                                          ": cannot write: BGEO counts up to 2^31 - 1 "
                                          "particles; use \"vdb\" or \"vtp\"");
  std::size_t stride = 1;  // the fourth coordinate of a point
  for (const ChannelArray& c : columns.channels) stride += space_count(c.rank, columns.dimension);
  AtomicFile file(path);
  file.write(header(columns));
  constexpr std::size_t kRowsPerWrite = 16384;
  std::vector<std::uint32_t> rows(kRowsPerWrite * stride);
  for (std::size_t begin = 0; begin < columns.particles; begin += kRowsPerWrite) {
    const std::size_t end = std::min(begin + kRowsPerWrite, columns.particles);
    std::size_t at = 0;
    for (const ChannelArray& channel : columns.channels) {
      copy_rows(channel, columns.dimension, begin, end, &rows[at], stride);
      at += space_count(channel.rank, columns.dimension);
      if (channel.name != "position") continue;
      for (std::size_t p = begin; p < end; ++p) rows[(p - begin) * stride + at] = big_endian(1.0f);
      ++at;
    }
    file.write(std::as_bytes(std::span(rows).first((end - begin) * stride)));
  }
  file.write(footer(columns.mark));
  file.commit();
}

}  // namespace firn
