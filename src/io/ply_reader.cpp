// Reads the PLY files that ply_file.cpp writes. Properties are brought back to channels by the
// names that the writer gives them.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <sstream>

#include "firn/error.h"
#include "src/io/particle_files.h"
#include "src/io/ply_properties.h"
#include "src/io/posix_file.h"

namespace firn {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
  throw Error(ErrorCategory::kFile,
              fmt::format("{}: cannot read this particle file: {}", path.string(), reason));
}

struct Property {
  std::string type;
  std::size_t offset = 0;
};

struct Header {
  std::size_t size = 0, particles = 0, stride = 0;
  std::map<std::string, Property> properties;
};

Header parse_header(std::string_view bytes, const std::filesystem::path& path) {
  constexpr std::string_view kStart = "ply\nformat binary_little_endian 1.0\n",
                             kEnd = "\nend_header\n";
  const std::size_t end = bytes.find(kEnd);
  if (!bytes.starts_with(kStart) || end == bytes.npos) refuse(path, "Firn did not write it");
  Header header;
  header.size = end + kEnd.size();
  std::istringstream lines{std::string(bytes.substr(kStart.size(), end - kStart.size()))};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, type, name;
    words >> word >> type >> name;
    if (word == "element" && !(std::istringstream(name) >> header.particles))
      refuse(path, "Firn did not write it");
    if (word != "property") continue;
    header.properties[name] = {type, header.stride};
    header.stride += type == "ushort" ? 2 : 4;
  }
  return header;
}

template <class T>
std::vector<T> gather(const Header& header, std::span<const std::byte> rows,
                      const std::vector<std::size_t>& offsets) {
  std::vector<T> values(header.particles * offsets.size());
  for (std::size_t p = 0; p < header.particles; ++p)
    for (std::size_t c = 0; c < offsets.size(); ++c)
      std::memcpy(&values[p * offsets.size() + c], &rows[p * header.stride + offsets[c]],
                  sizeof(T));
  return values;
}

// Nothing if the file does not have it.
std::optional<ChannelArray> channel_of(const Header& header, std::span<const std::byte> rows,
                                       const std::string& name, ChannelRank rank, int dimension) {
  ChannelArray channel{name, rank, {}};
  std::vector<std::size_t> offsets;
  std::string type;
  for (int c = 0; c < component_count(rank, dimension); ++c) {
    const auto found = header.properties.find(ply_property(channel, c, dimension));
    if (found == header.properties.end()) return std::nullopt;
    if (!type.empty() && type != found->second.type) return std::nullopt;
    type = found->second.type;
    offsets.push_back(found->second.offset);
  }
  if (rank != ChannelRank::kScalar && type != "float") return std::nullopt;
  if (type == "float")
    channel.values = gather<float>(header, rows, offsets);
  else if (type == "ushort")
    channel.values = gather<std::uint16_t>(header, rows, offsets);
  else
    channel.values = gather<std::uint32_t>(header, rows, offsets);
  return channel;
}

}  // namespace

ParticleColumns read_ply(const std::filesystem::path& path, int dimension) {
  const std::vector<std::byte> bytes = read_file(path);
  const Header header =
      parse_header({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path);
  const auto rows = std::span(bytes).subspan(header.size);
  if (header.stride == 0 || rows.size() % header.stride != 0 ||
      rows.size() / header.stride != header.particles)
    refuse(path, "its size is not that of its particles");
  ParticleColumns columns;
  columns.dimension = dimension;
  columns.particles = header.particles;
  const auto add = [&](const std::string& name, ChannelRank rank) {
    auto channel = channel_of(header, rows, name, rank, dimension);
    if (channel) columns.channels.push_back(std::move(*channel));
  };
  add("position", ChannelRank::kVector);
  if (columns.channels.empty()) refuse(path, "it has no positions");
  for (const OutputChannel& channel : output_channels())
    add(std::string(channel.name), channel.rank);
  const auto place = [&](const ChannelArray& channel) {
    return header.properties.at(ply_property(channel, 0, dimension)).offset;
  };
  std::sort(columns.channels.begin(), columns.channels.end(),
            [&](const ChannelArray& a, const ChannelArray& b) { return place(a) < place(b); });
  return columns;
}

}  // namespace firn
