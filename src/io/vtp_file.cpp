// VTK XML PolyData. Written here because VTK's own library would bring 199 packages. The values
// stand behind the XML, packed by zlib in blocks, as VTK's documentation of its file formats
// describes ("appended" data, "raw", with 64-bit headers).
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <new>

#include "src/io/atomic_file.h"
#include "src/io/particle_files.h"

static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie");

namespace firn {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t kBlockBytes = std::size_t{1} << 18;

struct Array {
  std::string name;
  const char* type;
  int components;
  std::size_t row_bytes;
  bool noise;                                                                    // floats
  std::function<void(std::size_t begin, std::size_t end, std::byte* out)> copy;  // rows
};

template <class T>
constexpr const char* vtk_type() {
  if constexpr (std::is_same_v<T, float>)
    return "Float32";
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return "UInt16";
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return "UInt32";
  else
    return "Int64";
}

Array channel_array(const ChannelArray& channel, int dimension) {
  return std::visit(
      [&]<class T>(const std::vector<T>& values) -> Array {
        const int flat = component_count(channel.rank, dimension),
                  count = space_count(channel.rank, dimension);
        std::vector<int> from(count);
        for (int c = 0; c < count; ++c) from[c] = flat_component(channel.rank, dimension, c);
        return {channel.name == "position" ? "Points" : channel.name,
                vtk_type<T>(),
                count,
                count * sizeof(T),
                std::is_same_v<T, float>,
                [&values, flat, from](std::size_t begin, std::size_t end, std::byte* out) {
                  for (std::size_t p = begin; p < end; ++p)
                    for (const int c : from) {
                      const T value = c < 0 ? T{} : values[p * flat + c];
                      std::memcpy(out, &value, sizeof value);
                      out += sizeof value;
                    }
                }};
      },
      channel.values);
}

// first, first + 1, ...: the points of vertices (from 0) and where these end (from 1).
Array counting(const char* name, std::int64_t first) {
  return {name,
          vtk_type<std::int64_t>(),
          1,
          sizeof first,
          false,
          [first](std::size_t begin, std::size_t end, std::byte* out) {
            for (auto p = begin; p < end; ++p, out += sizeof first) {
              const std::int64_t value = first + static_cast<std::int64_t>(p);
              std::memcpy(out, &value, sizeof value);
            }
          }};
}

// Appends it as zlib packs it.
void deflate_to(Bytes& data, std::span<const std::byte> plain, int strategy) {
  // The low bits of particle data are noise, where higher levels gain less than 1 %.
  constexpr int kLevel = 1, kWindowBits = 15, kMemory = 9;
  z_stream stream{};
  if (deflateInit2(&stream, kLevel, Z_DEFLATED, kWindowBits, kMemory, strategy) != Z_OK)
    throw std::bad_alloc();  // nothing else can fail here
  const std::size_t at = data.size();
  data.resize(at + deflateBound(&stream, plain.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(&data[at]);
  stream.avail_out = static_cast<uInt>(data.size() - at);
  deflate(&stream, Z_FINISH);
  data.resize(at + stream.total_out);
  deflateEnd(&stream);
}

// Codes for the bytes alone are as good for floats that differ, in a fifth of the time. What they
// bring below a half repeats itself, and is packed anew with a search for that.
void pack_block(Bytes& data, std::span<const std::byte> plain, bool noise) {
  const std::size_t before = data.size();
  if (noise) deflate_to(data, plain, Z_HUFFMAN_ONLY);
  if (noise && 2 * (data.size() - before) > plain.size()) return;
  data.resize(before);
  deflate_to(data, plain, Z_DEFAULT_STRATEGY);
}

// How many blocks, their size, that of a smaller last one, their packed sizes; then the blocks.
Bytes packed(const Array& array, std::size_t rows) {
  const std::size_t per_block = kBlockBytes / array.row_bytes,
                    blocks = (rows + per_block - 1) / per_block;
  std::vector<std::uint64_t> header{blocks, per_block * array.row_bytes,
                                    rows % per_block * array.row_bytes};
  Bytes plain(per_block * array.row_bytes), data;
  for (std::size_t begin = 0; begin < rows; begin += per_block) {
    const std::size_t end = std::min(begin + per_block, rows),
                      size = (end - begin) * array.row_bytes, at = data.size();
    array.copy(begin, end, plain.data());
    pack_block(data, std::span(plain).first(size), array.noise);
    header.push_back(data.size() - at);
  }
  const auto head = std::as_bytes(std::span(header));
  data.insert(data.begin(), head.begin(), head.end());
  return data;
}

struct Arrays {
  std::vector<Array> all;  // in the order of the file: points, channels, vertices
  std::size_t channels = 0;
};

Arrays arrays_of(const ParticleColumns& columns) {
  Arrays arrays;
  for (const ChannelArray& channel : columns.channels)
    arrays.all.push_back(channel_array(channel, columns.dimension));
  arrays.channels = arrays.all.size() - 1;
  arrays.all.push_back(counting("connectivity", 0));
  arrays.all.push_back(counting("offsets", 1));
  return arrays;
}

// What ParaView colours by and offers for arrows when a file is opened.
std::string active_channels(const ParticleColumns& columns) {
  std::string scalars, vectors;
  for (const ChannelArray& channel : columns.channels) {
    if (channel.name == "position") continue;
    const int count = space_count(channel.rank, columns.dimension);
    if (count == 1 && scalars.empty()) scalars = channel.name;
    if (count == 3 && (vectors.empty() || channel.name == "velocity")) vectors = channel.name;
  }
  return (scalars.empty() ? "" : fmt::format(" Scalars=\"{}\"", scalars)) +
         (vectors.empty() ? "" : fmt::format(" Vectors=\"{}\"", vectors));
}

// As long for all offsets, so that it can be written before they are known.
std::string head(const ParticleColumns& columns, const Arrays& arrays,
                 const std::vector<std::uint64_t>& offsets) {
  const auto array = [&](std::size_t i) {
    const Array& a = arrays.all[i];
    return fmt::format(
        "        <DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"appended\" "
        "offset=\"{:020}\"/>\n",
        a.type, a.name, a.components, offsets[i]);
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n"
      "  <PolyData>\n"
      "    <FieldData>\n"
      "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
      "format=\"ascii\">{:.17g}</DataArray>\n"
      "    </FieldData>\n"
      "    <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"0\" "
      "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n"
      "      <PointData{}>\n",
      columns.mark.time, columns.particles, columns.particles, active_channels(columns));
  for (std::size_t i = 1; i <= arrays.channels; ++i) text += array(i);
  text += "      </PointData>\n      <Points>\n" + array(0) + "      </Points>\n      <Verts>\n";
  text += array(arrays.channels + 1) + array(arrays.channels + 2);
  return text +
         "      </Verts>\n    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n   _";
}

}  // namespace

void write_vtp(const std::filesystem::path& path, const ParticleColumns& columns) {
  const Arrays arrays = arrays_of(columns);
  std::vector<std::uint64_t> offsets(arrays.all.size());
  AtomicFile file(path);
  file.write(head(columns, arrays, offsets));
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < arrays.all.size(); ++i) {
    const Bytes data = packed(arrays.all[i], columns.particles);
    offsets[i] = offset;
    offset += data.size();
    file.write(data);
  }
  file.write(std::string_view("\n  </AppendedData>\n</VTKFile>\n"));
  const std::string known = head(columns, arrays, offsets);
  file.overwrite(std::as_bytes(std::span(known)));
  file.commit();
}

}  // namespace firn
