// Readers of OBJ (through tinyobjloader), PLY (ascii, binary little endian) and STL (ascii,
// binary). Every count a file claims is compared with the bytes that are there before anything is
// allocated for it.
#include <fmt/format.h>
#include <tiny_obj_loader.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "firn/error.h"
#include "src/scene/mesh.h"

namespace firn {
namespace {

static_assert(std::endian::native == std::endian::little, "binary PLY and STL are read in place");

[[noreturn]] void fail(const std::string& origin, const std::string& reason) {
  throw Error(ErrorCategory::kFile, fmt::format("{}: {}", origin, reason));
}

void add_vertex(TriangleMesh& mesh, const Vec3& v, const std::string& origin) {
  for (double c : v)
    if (!std::isfinite(c))
      fail(origin, fmt::format("vertex {} has a coordinate that is not a finite number",
                               mesh.vertices.size()));
  if (mesh.vertices.size() >= std::numeric_limits<std::uint32_t>::max())
    fail(origin, "more than 2^32 - 1 vertices");
  mesh.vertices.push_back(v);
}

const TriangleMesh& checked(const TriangleMesh& mesh, const std::string& origin) {
  if (mesh.triangles.empty()) fail(origin, "holds no triangle");
  for (const auto& t : mesh.triangles)
    for (std::uint32_t i : t)
      if (i >= mesh.vertices.size())
        fail(origin, fmt::format("a face uses vertex {} (counted from 0), but there are only {}", i,
                                 mesh.vertices.size()));
  return mesh;
}

// Reads tokens and little-endian numbers from the front of what is left.
class Cursor {
 public:
  Cursor(std::string_view rest, const std::string& origin) : rest_(rest), origin_(origin) {}

  std::size_t left() const { return rest_.size(); }

  std::string_view line() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view result = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!result.empty() && result.back() == '\r') result.remove_suffix(1);
    return result;
  }

  // The next word, empty at the end.
  std::string_view word() {
    constexpr std::string_view kSpace = " \t\r\n\v\f";
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpace), rest_.size()));
    const std::string_view result = rest_.substr(0, rest_.find_first_of(kSpace));
    rest_.remove_prefix(result.size());
    return result;
  }

  double number() {
    std::string_view token = word();
    if (token.empty()) fail(origin_, "ends in the middle of its data");
    const std::string_view digits = token[0] == '+' ? token.substr(1) : token;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
      fail(origin_, fmt::format("'{}' stands where a number belongs", printable(token)));
    return value;
  }

  template <class T>
  T binary() {
    if (rest_.size() < sizeof(T)) fail(origin_, "ends in the middle of its data");
    T value;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_.remove_prefix(sizeof(T));
    return value;
  }

  void skip(std::size_t bytes) { rest_.remove_prefix(std::min(bytes, rest_.size())); }

  static std::string printable(std::string_view s) {
    std::string result(s.substr(0, 40));
    for (char& c : result)
      if (c < ' ' || c > '~') c = '?';
    return result;
  }

 private:
  std::string_view rest_;
  const std::string& origin_;
};

// --- PLY
// ----------------------------------------------------------------------------------------------------------

enum class PlyType { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat, kDouble };

constexpr std::size_t kPlySize[] = {1, 1, 2, 2, 4, 4, 4, 8};

struct PlyProperty {
  std::string_view name;
  PlyType type{};
  bool list = false;
  PlyType count_type{};
};

struct PlyElement {
  std::string_view name;
  std::size_t count = 0;
  std::vector<PlyProperty> properties;
};

class PlyReader {
 public:
  PlyReader(std::string_view bytes, const std::string& origin)
      : in_(bytes, origin), origin_(origin) {}

  TriangleMesh read() {
    header();
    for (const PlyElement& element : elements_) body(element);
    return checked(mesh_, origin_);
  }

 private:
  PlyType type(std::string_view name) const {
    constexpr std::string_view kNames[8][2] = {
        {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
        {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};
    for (int i = 0; i < 8; ++i)
      if (name == kNames[i][0] || name == kNames[i][1]) return static_cast<PlyType>(i);
    fail(origin_, fmt::format("PLY header: unknown type '{}'", Cursor::printable(name)));
  }

  void header() {
    if (in_.line() != "ply") fail(origin_, "is not a PLY file: the first line is not 'ply'");
    bool has_format = false;
    for (;;) {
      if (in_.left() == 0) fail(origin_, "PLY header has no end_header");
      Cursor line(in_.line(), origin_);
      const std::string_view key = line.word();
      if (key == "end_header") break;
      if (key == "format") {
        format(line.word());
        has_format = true;
      } else if (key == "element") {
        element(line);
      } else if (key == "property") {
        property(line);
      } else if (!key.empty() && key != "comment" && key != "obj_info") {
        fail(origin_, fmt::format("PLY header: unknown line '{}'", Cursor::printable(key)));
      }
    }
    if (!has_format) fail(origin_, "PLY header has no format");
  }

  void format(std::string_view name) {
    if (name == "ascii")
      ascii_ = true;
    else if (name != "binary_little_endian")
      fail(origin_,
           fmt::format("PLY format '{}' is not supported; use ascii or binary_little_endian",
                       Cursor::printable(name)));
  }

  void element(Cursor& line) {
    PlyElement e;
    e.name = line.word();
    const double count = line.number();
    if (!(count >= 0 && count < 4294967296.0 && count == std::floor(count)))
      fail(origin_, fmt::format("PLY header: {} elements '{}'", count, Cursor::printable(e.name)));
    e.count = static_cast<std::size_t>(count);
    elements_.push_back(e);
  }

  void property(Cursor& line) {
    if (elements_.empty()) fail(origin_, "PLY header: a property before any element");
    PlyProperty p;
    const std::string_view first = line.word();
    p.list = first == "list";
    if (p.list) p.count_type = type(line.word());
    p.type = type(p.list ? line.word() : first);
    p.name = line.word();
    elements_.back().properties.push_back(p);
  }

  double value(PlyType type) {
    if (ascii_) return in_.number();
    switch (type) {
      case PlyType::kInt8:
        return in_.binary<std::int8_t>();
      case PlyType::kUint8:
        return in_.binary<std::uint8_t>();
      case PlyType::kInt16:
        return in_.binary<std::int16_t>();
      case PlyType::kUint16:
        return in_.binary<std::uint16_t>();
      case PlyType::kInt32:
        return in_.binary<std::int32_t>();
      case PlyType::kUint32:
        return in_.binary<std::uint32_t>();
      case PlyType::kFloat:
        return in_.binary<float>();
      default:
        return in_.binary<double>();
    }
  }

  void check_size(const PlyElement& e) const {
    std::size_t least = 0;  // bytes of one element with empty lists
    for (const PlyProperty& p : e.properties)
      least += ascii_ ? 2 : kPlySize[static_cast<int>(p.list ? p.count_type : p.type)];
    if (e.count > 0 && (least == 0 || e.count > (in_.left() + 1) / least))
      fail(origin_, fmt::format("is too short for the {} elements '{}' that its header announces",
                                e.count, Cursor::printable(e.name)));
  }

  void body(const PlyElement& e) {
    check_size(e);
    int axis[3] = {-1, -1, -1};
    int faces = -1;
    for (int i = 0; i < static_cast<int>(e.properties.size()); ++i) {
      const PlyProperty& p = e.properties[i];
      if (e.name == "vertex" && !p.list && p.name.size() == 1 && p.name[0] >= 'x' &&
          p.name[0] <= 'z')
        axis[p.name[0] - 'x'] = i;
      if (e.name == "face" && p.list && (p.name == "vertex_indices" || p.name == "vertex_index"))
        faces = i;
    }
    if (e.name == "vertex" && (axis[0] < 0 || axis[1] < 0 || axis[2] < 0))
      fail(origin_, "PLY vertices have no properties x, y and z");
    if (e.name == "face" && faces < 0) fail(origin_, "PLY faces have no list vertex_indices");
    for (std::size_t k = 0; k < e.count; ++k) row(e, axis, faces);
  }

  void row(const PlyElement& e, const int (&axis)[3], int faces) {
    Vec3 position{};
    for (int i = 0; i < static_cast<int>(e.properties.size()); ++i) {
      const PlyProperty& p = e.properties[i];
      if (p.list) {
        list(p, i == faces);
        continue;
      }
      const double v = value(p.type);
      for (int a = 0; a < 3; ++a)
        if (axis[a] == i) position[a] = v;
    }
    if (e.name == "vertex") add_vertex(mesh_, position, origin_);
  }

  void list(const PlyProperty& p, bool face) {
    const double n = value(p.count_type);
    if (!(n >= 0 && n <= static_cast<double>(in_.left()) && n == std::floor(n)))
      fail(origin_,
           fmt::format("a PLY list claims {} entries, more than the file has room for", n));
    if (face && n < 3)
      fail(origin_, fmt::format("face {} has fewer than three vertices", mesh_.triangles.size()));
    std::uint32_t first = 0, previous = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(n); ++k) {
      const double v = value(p.type);
      if (!face) continue;
      if (!(v >= 0 && v < 4294967295.0)) fail(origin_, fmt::format("a face uses vertex {}", v));
      const auto index = static_cast<std::uint32_t>(v);
      if (k == 0) first = index;
      if (k >= 2) mesh_.triangles.push_back({first, previous, index});
      previous = index;
    }
  }

  Cursor in_;
  const std::string& origin_;
  bool ascii_ = false;
  std::vector<PlyElement> elements_;
  TriangleMesh mesh_;
};

// --- STL
// ----------------------------------------------------------------------------------------------------------

struct PositionHash {
  std::size_t operator()(const Vec3& v) const {
    std::uint64_t h = 0;
    for (double c : v) h = (h ^ std::bit_cast<std::uint64_t>(c)) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 32);
  }
};

// STL repeats the corners of every triangle; equal positions become one vertex.
class StlReader {
 public:
  StlReader(std::string_view bytes, const std::string& origin) : bytes_(bytes), origin_(origin) {}

  TriangleMesh read() {
    if (bytes_.size() >= kHeader) {
      Cursor in(bytes_, origin_);
      in.skip(kHeader - 4);
      const std::size_t count = in.binary<std::uint32_t>();
      if (bytes_.size() - kHeader == count * kFacet) {
        binary(in, count);
        return checked(mesh_, origin_);
      }
      if (bytes_.substr(0, 5) != "solid")
        fail(origin_,
             fmt::format("binary STL announces {} triangles, which is not what its {} bytes hold",
                         count, bytes_.size()));
    }
    if (bytes_.substr(0, 5) != "solid") fail(origin_, "is not an STL file");
    ascii();
    return checked(mesh_, origin_);
  }

 private:
  static constexpr std::size_t kHeader = 84, kFacet = 50;

  std::uint32_t vertex(Vec3 v) {
    for (double& c : v) c += 0.0;  // -0 and 0 are one position
    const auto [at, added] =
        index_.try_emplace(v, static_cast<std::uint32_t>(mesh_.vertices.size()));
    if (added) add_vertex(mesh_, v, origin_);
    return at->second;
  }

  void binary(Cursor& in, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      in.skip(12);  // the normal
      std::array<std::uint32_t, 3> t;
      for (std::uint32_t& corner : t) {
        Vec3 v;
        for (double& c : v) c = static_cast<double>(in.binary<float>());
        corner = vertex(v);
      }
      in.skip(2);
      mesh_.triangles.push_back(t);
    }
  }

  void ascii() {
    Cursor in(bytes_, origin_);
    in.line();  // solid <name>
    std::vector<std::uint32_t> loop;
    for (std::string_view word = in.word(); !word.empty(); word = in.word()) {
      if (word == "vertex") {
        Vec3 v;
        for (double& c : v) c = in.number();
        loop.push_back(vertex(v));
      } else if (word == "endfacet") {
        if (loop.size() != 3)
          fail(origin_,
               fmt::format("facet {} has {} vertices", mesh_.triangles.size(), loop.size()));
        mesh_.triangles.push_back({loop[0], loop[1], loop[2]});
        loop.clear();
      }
    }
    if (!loop.empty()) fail(origin_, "ends in the middle of a facet");
  }

  std::string_view bytes_;
  const std::string& origin_;
  std::unordered_map<Vec3, std::uint32_t, PositionHash> index_;
  TriangleMesh mesh_;
};

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return Cursor::printable(text.empty() ? "cannot be parsed" : text);
}

}  // namespace

TriangleMesh parse_obj(std::string_view text, const std::string& origin) {
  tinyobj::ObjReaderConfig config;
  config.triangulate = true;
  config.vertex_color = false;
  tinyobj::ObjReader reader;
  if (!reader.ParseFromString(std::string(text), "", config))
    fail(origin, one_line(reader.Error()));
  TriangleMesh mesh;
  const std::vector<tinyobj::real_t>& xyz = reader.GetAttrib().vertices;
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3)
    add_vertex(mesh,
               {static_cast<double>(xyz[i]), static_cast<double>(xyz[i + 1]),
                static_cast<double>(xyz[i + 2])},
               origin);
  for (const tinyobj::shape_t& shape : reader.GetShapes()) {
    const auto& indices = shape.mesh.indices;
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
      std::array<std::uint32_t, 3> t;
      for (int k = 0; k < 3; ++k) t[k] = static_cast<std::uint32_t>(indices[i + k].vertex_index);
      mesh.triangles.push_back(t);
    }
  }
  return checked(mesh, origin);
}

TriangleMesh parse_ply(std::string_view bytes, const std::string& origin) {
  return PlyReader(bytes, origin).read();
}

TriangleMesh parse_stl(std::string_view bytes, const std::string& origin) {
  return StlReader(bytes, origin).read();
}

}  // namespace firn
