// OBJ meshes through tinyobjloader, which splits polygons into triangles unless they are fans.
#include <tiny_obj_loader.h>

#include "src/scene/mesh_cursor.h"

namespace firn {
namespace {

using namespace mesh_file;

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return Cursor::printable(text.empty() ? "cannot be parsed" : text);
}

Vec3 read_position(Cursor& line, const std::string& origin) {
  Vec3 x{};
  for (double& c : x)
    if (c = line.number(); !std::isfinite(c)) fail(origin, "a coordinate is not a finite number");
  return x;
}

// A corner is up to three whole numbers, "1/2/3"; those of vertices come first, from 1 on, or from
// -1 backwards among the `vertices` that there are by now.
void check_corners(Cursor& line, std::size_t vertices, const std::string& origin) {
  for (std::string_view word = line.word(); !word.empty() && word[0] != '#'; word = line.word()) {
    const std::string_view index = word.substr(0, word.find('/'));
    int value = 0;
    const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), value);
    if (error != std::errc() || end != index.data() + index.size())
      fail(origin,
           fmt::format("'{}' stands where the index of a vertex belongs", Cursor::printable(word)));
    if (value == 0 ||
        (value < 0 && -static_cast<std::int64_t>(value) > static_cast<std::int64_t>(vertices)))
      fail(origin,
           fmt::format("'{}' is the index of no vertex: they are counted from 1, or backwards "
                       "from -1, and there are {} before it",
                       Cursor::printable(word), vertices));
  }
}

// tinyobjloader reads as much of a word as is a number, or 0; and positions in single precision,
// which those of a map do not fit. Yields them in double.
std::vector<Vec3> check_numbers(std::string_view text, const std::string& origin) {
  std::vector<Vec3> positions;
  Cursor in(text, origin);
  for (std::size_t number = 1; in.left() > 0; ++number) {
    Cursor line(in.line(), origin);
    const std::string_view what = line.word();
    try {
      if (what == "v") positions.push_back(read_position(line, origin));
      if (what == "f") check_corners(line, positions.size(), origin);
    } catch (const Error& e) {
      fail(fmt::format("{}:{}", origin, number), std::string(e.what()).substr(origin.size() + 2));
    }
  }
  return positions;
}

}  // namespace

TriangleMesh parse_obj(std::string_view text, const std::string& origin, bool fans) {
  const std::vector<Vec3> positions = check_numbers(text, origin);
  tinyobj::ObjReaderConfig config;
  config.triangulate = !fans;
  config.vertex_color = false;
  tinyobj::ObjReader reader;
  if (!reader.ParseFromString(std::string(text), "", config))
    fail(origin, one_line(reader.Error()));
  // It leaves out polygons with indices out of range, which would be holes.
  if (reader.Warning().find("invalid") != std::string::npos)
    fail(origin, one_line(reader.Warning()));
  TriangleMesh mesh;
  const std::vector<tinyobj::real_t>& xyz = reader.GetAttrib().vertices;
  // Lines that end in a bare carriage return are lines to tinyobjloader alone.
  const bool all = 3 * positions.size() == xyz.size();
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3)
    add_vertex(mesh,
               all ? positions[i / 3]
                   : Vec3{static_cast<double>(xyz[i]), static_cast<double>(xyz[i + 1]),
                          static_cast<double>(xyz[i + 2])},
               origin);
  for (const tinyobj::shape_t& shape : reader.GetShapes()) {
    const auto& indices = shape.mesh.indices;
    const auto vertex = [&](std::size_t i) {
      return static_cast<std::uint32_t>(indices[i].vertex_index);
    };
    std::size_t first = 0;
    for (const std::size_t corners : shape.mesh.num_face_vertices) {
      for (std::size_t i = first + 2; i < first + corners; ++i)
        mesh.triangles.push_back({vertex(first), vertex(i - 1), vertex(i)});
      first += corners;
    }
  }
  return checked(mesh, origin);
}

}  // namespace firn
