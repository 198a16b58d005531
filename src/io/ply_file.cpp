// Binary PLY. Written here because the packaged readers and writers of the format know triangle
// meshes only.
#include <bit>
#include <cstring>
#include <functional>

#include "src/io/atomic_file.h"
#include "src/io/particle_channels.h"
#include "src/io/particle_files.h"
#include "src/io/ply_properties.h"

static_assert(std::endian::native == std::endian::little, "the rows below are copied as they lie");

namespace firn {
namespace {

// Copies the bytes of one property of particle `p` to `out`.
struct Property {
  std::string name;
  const char* type;
  std::size_t size;
  std::function<void(std::size_t p, std::byte* out)> copy;
};

template <class T>
constexpr const char* ply_type() {
  if constexpr (std::is_same_v<T, float>)
    return "float";
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return "ushort";
  else
    return "uint";
}

void add_properties(std::vector<Property>& properties, const ChannelArray& channel, int dimension) {
  std::visit(
      [&]<class T>(const std::vector<T>& values) {
        const int count = component_count(channel.rank, dimension);
        for (int c = 0; c < count; ++c)
          properties.push_back({ply_property(channel, c, dimension), ply_type<T>(), sizeof(T),
                                [&values, count, c](std::size_t p, std::byte* out) {
                                  std::memcpy(out, &values[p * count + c], sizeof(T));
                                }});
      },
      channel.values);
  if (channel.rank == ChannelRank::kVector && dimension == 2)  // viewers expect three coordinates
    properties.push_back({ply_property(channel, 2, dimension), ply_type<float>(), sizeof(float),
                          [](std::size_t, std::byte* out) { std::memset(out, 0, sizeof(float)); }});
}

std::string header(const std::vector<Property>& properties, std::size_t particles) {
  std::string text = "ply\nformat binary_little_endian 1.0\ncomment particles written by Firn\n";
  text += "element vertex " + std::to_string(particles) + "\n";
  for (const Property& p : properties)
    text += "property " + std::string(p.type) + " " + p.name + "\n";
  return text + "end_header\n";
}

}  // namespace

void write_ply(const std::filesystem::path& path, const ParticleColumns& columns) {
  std::vector<Property> properties;
  for (const ChannelArray& array : columns.channels)
    add_properties(properties, array, columns.dimension);
  std::size_t stride = 0;
  for (const Property& property : properties) stride += property.size;

  AtomicFile file(path);
  file.write(header(properties, columns.particles));
  constexpr std::size_t kRowsPerWrite = 16384;
  std::vector<std::byte> rows(kRowsPerWrite * stride);
  for (std::size_t begin = 0; begin < columns.particles; begin += kRowsPerWrite) {
    const std::size_t end = std::min(begin + kRowsPerWrite, columns.particles);
    std::size_t offset = 0;
    for (const Property& property : properties) {
      for (std::size_t p = begin; p < end; ++p)
        property.copy(p, &rows[(p - begin) * stride + offset]);
      offset += property.size;
    }
    file.write(std::span(rows).first((end - begin) * stride));
  }
  file.commit();
}

}  // namespace firn
