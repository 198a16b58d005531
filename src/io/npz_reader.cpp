// Reads the NPZ files that npz_file.cpp writes: members that are stored, in the ZIP64 form, one
// behind the other. Nothing in them is believed before it is checked against the file's size.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <span>
#include <string_view>

#include "firn/error.h"
#include "src/io/particle_files.h"
#include "src/io/posix_file.h"

namespace firn {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
  throw Error(ErrorCategory::kFile,
              fmt::format("{}: cannot read this particle file: {}", path.string(), reason));
}

// The bytes of a file from front to back.
class Cursor {
 public:
  Cursor(std::span<const std::byte> rest, const std::filesystem::path& path)
      : rest_(rest), path_(path) {}

  template <class T>
  T take() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > rest_.size()) refuse(path_, "it is truncated");
    const auto taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }
  std::string_view take_text(std::uint64_t size) {
    const auto bytes = take(size);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
  const std::filesystem::path& path_;
};

struct Member {
  std::string_view name;
  std::span<const std::byte> data;
};

// The next member; nothing if the directory begins, which ends the members.
std::optional<Member> next_member(Cursor& file, const std::filesystem::path& path) {
  constexpr std::uint32_t kLocal = 0x04034b50;
  if (file.take<std::uint32_t>() != kLocal) return std::nullopt;
  file.take(4);  // versions and flags
  const auto method = file.take<std::uint16_t>();
  file.take(4);  // the date
  const auto crc = file.take<std::uint32_t>();
  file.take(8);  // sizes, which stand in the extra field
  const auto name_size = file.take<std::uint16_t>(), extra = file.take<std::uint16_t>();
  Member member;
  member.name = file.take_text(name_size);
  if (method != 0 || extra != 20) refuse(path, "Firn did not write it");
  file.take(4);  // what the extra field is
  const auto size = file.take<std::uint64_t>();
  file.take(8);
  member.data = file.take(size);
  if (crc32_z(0, reinterpret_cast<const Bytef*>(member.data.data()), member.data.size()) != crc)
    refuse(path, fmt::format("its {} is damaged", member.name));
  return member;
}

// "(12, 3)": the numbers.
std::vector<std::uint64_t> parse_shape(std::string_view dict) {
  std::vector<std::uint64_t> shape;
  const std::size_t open = dict.find("'shape': (");
  if (open == dict.npos) return shape;
  std::string_view text = dict.substr(open + 10);
  text = text.substr(0, text.find(')'));
  while (!text.empty()) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) break;
    shape.push_back(value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    text.remove_prefix(std::min(text.find_first_not_of(", "), text.size()));
  }
  return shape;
}

template <class T>
std::vector<T> values_of(std::span<const std::byte> data) {
  std::vector<T> values(data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), data.data(), values.size() * sizeof(T));
  return values;
}

// Rows of the array, and their shape behind the number of particles.
struct Shaped {
  ChannelArray channel;
  std::vector<std::uint64_t> shape;
};

Shaped parse_array(const Member& member, const std::filesystem::path& path) {
  Cursor array(member.data, path);
  if (array.take_text(8) != std::string_view("\x93NUMPY\x01\x00", 8) ||
      !member.name.ends_with(".npy"))
    refuse(path, "Firn did not write it");
  const std::string_view dict = array.take_text(array.take<std::uint16_t>());
  Shaped shaped;
  shaped.shape = parse_shape(dict);
  shaped.channel.name = member.name.substr(0, member.name.size() - 4);
  const auto has = [&](const char* type) {
    return dict.find(fmt::format("'descr': '{}'", type)) != dict.npos;
  };
  if (has("<f4"))
    shaped.channel.values = values_of<float>(array.rest());
  else if (has("<u2"))
    shaped.channel.values = values_of<std::uint16_t>(array.rest());
  else if (has("<u4"))
    shaped.channel.values = values_of<std::uint32_t>(array.rest());
  else
    refuse(path, "Firn did not write it");
  return shaped;
}

ChannelRank rank_of(const std::string& name, const std::filesystem::path& path) {
  if (name == "position") return ChannelRank::kVector;
  for (const OutputChannel& channel : output_channels())
    if (channel.name == name) return channel.rank;
  refuse(path, fmt::format("it has a channel '{}', which this Firn does not know", name));
}

}  // namespace

ParticleColumns read_npz(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_file(path);
  Cursor file(bytes, path);
  ParticleColumns columns;
  while (const auto member = next_member(file, path)) {
    Shaped shaped = parse_array(*member, path);
    ChannelArray& channel = shaped.channel;
    if (columns.channels.empty()) {
      if (channel.name != "position" || shaped.shape.size() != 2 || shaped.shape[1] < 2 ||
          shaped.shape[1] > 3)
        refuse(path, "it does not begin with positions");
      columns.particles = shaped.shape[0];
      columns.dimension = static_cast<int>(shaped.shape[1]);
    }
    channel.rank = rank_of(channel.name, path);
    if (channel.rank != ChannelRank::kScalar &&
        !std::holds_alternative<std::vector<float>>(channel.values))
      refuse(path, fmt::format("its {} has no floats", channel.name));
    const std::size_t count = std::visit([](const auto& v) { return v.size(); }, channel.values);
    const auto per_particle =
        static_cast<std::size_t>(component_count(channel.rank, columns.dimension));
    if (count % per_particle != 0 || count / per_particle != columns.particles)
      refuse(path, fmt::format("its {} has another number of particles", channel.name));
    columns.channels.push_back(std::move(channel));
  }
  if (columns.channels.empty()) refuse(path, "Firn did not write it");
  return columns;
}

}  // namespace firn
