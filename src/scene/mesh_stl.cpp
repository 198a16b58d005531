// STL meshes, ascii and binary. A file whose size is what a binary one must have is binary, since
// many of those begin with "solid" too.
#include <unordered_map>

#include "src/scene/mesh_cursor.h"

namespace firn {
namespace {

using namespace mesh_file;

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

}  // namespace

TriangleMesh parse_stl(std::string_view bytes, const std::string& origin) {
  return StlReader(bytes, origin).read();
}

}  // namespace firn
