#include "src/scene/mesh_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "firn/error.h"
#include "src/scene/findings.h"
#include "src/scene/last_used.h"
#include "src/scene/mesh_text.h"
#include "src/scene/mesh_vdb.h"

namespace firn {
namespace {

struct FileState {
  std::filesystem::file_time_type written{};
  std::uintmax_t bytes = 0;
  bool operator==(const FileState&) const = default;
};
// Of what cannot be asked nothing is kept: reading it says why.
FileState state_of(const std::string& path) {
  std::error_code error;
  FileState state{std::filesystem::last_write_time(path, error), 0};
  if (!error) state.bytes = std::filesystem::file_size(path, error);
  return error ? FileState{} : state;
}

// All that the triangles follow from.
struct MeshKey {
  ShapeType type;
  std::string path;
  FileState state;
  std::string grid, text;
  std::optional<double> iso;
  double size, depth;
  bool operator==(const MeshKey&) const = default;
};
struct GridKey {
  MeshKey mesh;
  double voxel_size, thickness;
  bool operator==(const GridKey&) const = default;
};

MeshKey key_of(const Shape& shape) {
  if (shape.type == ShapeType::kText) {
    const std::string font = font_of(shape);
    return {shape.type, font, state_of(font), {}, shape.text, {}, shape.size, shape.depth};
  }
  const bool volume = shape.type == ShapeType::kVdb;
  return {shape.type,
          shape.file,
          state_of(shape.file),
          volume ? shape.grid : std::string(),
          {},
          volume ? shape.iso : std::nullopt,
          0,
          0};
}

TriangleMesh make_mesh(const Shape& shape) {
  if (shape.type == ShapeType::kText) return text_mesh(shape);
  if (shape.type == ShapeType::kVdb) return load_vdb_surface(shape.file, shape.grid, shape.iso);
  return load_mesh(shape.file);
}

}  // namespace

bool is_triangles(ShapeType type) {
  return type == ShapeType::kMesh || type == ShapeType::kVdb || type == ShapeType::kText;
}

std::shared_ptr<const TriangleMesh> cached_mesh(const Shape& shape) {
  static LastUsed<MeshKey, TriangleMesh> meshes;
  return meshes.get(key_of(shape), [&] { return make_mesh(shape); });
}

std::shared_ptr<const MeshGrid> cached_grid(const Shape& shape, double voxel_size,
                                            double thickness) {
  static LastUsed<GridKey, MeshGrid> grids;
  return grids.get({key_of(shape), voxel_size, thickness}, [&] {
    const auto mesh = cached_mesh(shape);
    const std::string name = name_of(shape);
    return thickness > 0 ? shell_to_grid(*mesh, name, voxel_size, thickness)
                         : mesh_to_grid(*mesh, name, voxel_size);
  });
}

std::string name_of(const Shape& shape) {
  if (shape.type != ShapeType::kText) return shape.file;
  return fmt::format("text \"{}\"", scene::excerpt(shape.text));
}

double scale_of(const Shape& shape, const TriangleMesh& mesh) {
  double longest = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [low, high] =
        std::minmax_element(mesh.vertices.begin(), mesh.vertices.end(),
                            [axis](const Vec3& a, const Vec3& b) { return a[axis] < b[axis]; });
    longest = std::max(longest, (*high)[axis] - (*low)[axis]);
  }
  if (!(longest > 0)) throw Error(ErrorCategory::kScene, "shape: a mesh must have an extent > 0");
  const bool sized = shape.type != ShapeType::kText && shape.size > 0;
  return sized ? shape.scale * shape.size / longest : shape.scale;
}

}  // namespace firn
