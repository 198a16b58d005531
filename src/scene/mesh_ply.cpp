// PLY meshes: ascii and binary little endian, any elements and properties. Every count that a file
// claims is compared with the bytes that are there before anything is allocated for it.
#include "src/scene/mesh_cursor.h"

namespace firn {
namespace {

using namespace mesh_file;

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

}  // namespace

TriangleMesh parse_ply(std::string_view bytes, const std::string& origin) {
  return PlyReader(bytes, origin).read();
}

}  // namespace firn
