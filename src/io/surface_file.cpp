#include "src/io/surface_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "src/io/atomic_file.h"
#include "src/io/vdb_voxels.h"
#include "src/surface/material_surfaces.h"

#if defined(FIRN_WITH_OPENVDB)
#include "src/io/vdb_archive.h"
#include "src/surface/level_set.h"
#include "src/surface/signed_distances.h"
#endif

static_assert(std::endian::native == std::endian::little, "numbers are copied as they lie");

namespace firn {
namespace {

void write_obj(const std::filesystem::path& path, const SurfaceFrame& frame) {
  AtomicFile file(path);
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "# Surfaces written by Firn, t = {} s, m\n", frame.mark.time);
  std::size_t first = 1;  // OBJ counts vertices from one, through all objects
  for (const SurfaceLayer& layer : frame.layers) {
    if (layer.surface == nullptr) continue;
    const SurfaceMesh& mesh = layer.surface->mesh();
    fmt::format_to(out, "o {}\n", layer.name);
    for (std::size_t i = 0; i < 3 * mesh.vertices(); i += 3) {
      const float *x = &mesh.positions[i], *c = &layer.color[i];
      fmt::format_to(out, "v {} {} {} {:.4g} {:.4g} {:.4g}\n", x[0], x[1], x[2], c[0], c[1], c[2]);
    }
    for (std::size_t i = 0; i < 3 * mesh.vertices(); i += 3) {
      const float* n = &mesh.normals[i];
      fmt::format_to(out, "vn {:.4g} {:.4g} {:.4g}\n", n[0], n[1], n[2]);
    }
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
      const std::size_t a = first + mesh.triangles[t], b = first + mesh.triangles[t + 1],
                        c = first + mesh.triangles[t + 2];
      fmt::format_to(out, "f {0}//{0} {1}//{1} {2}//{2}\n", a, b, c);
    }
    first += mesh.vertices();
    file.write(std::string_view(text.data(), text.size()));
    text.clear();
  }
  file.write(std::string_view(text.data(), text.size()));
  file.commit();
}

class Bytes {
 public:
  template <class... T>
  void add(T... values) {
    (append(&values, sizeof(T)), ...);
  }
  void append(const void* from, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
  }
  std::span<const std::byte> all() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

// Bytes that a colour in the middle of two would be either of, as its means over particles round,
// are the upper one: those of one colour stay of one. No colour that is written in decimal digits
// lies at the bound that this makes.
std::uint8_t byte_of(float color) {
  constexpr float kAbove = 0.5f + 0x1p-10f;
  return static_cast<std::uint8_t>(255 * std::clamp(color, 0.0f, 1.0f) + kAbove);
}

// Who reads PLY goes by the header: what has a name of its own stands behind what all of them know.
void write_ply_mesh(const std::filesystem::path& path, const SurfaceFrame& frame) {
  std::size_t vertices = 0, triangles = 0;
  for (const SurfaceLayer& layer : frame.layers) {
    if (layer.surface == nullptr) continue;
    vertices += layer.surface->mesh().vertices();
    triangles += layer.surface->mesh().triangles.size() / 3;
  }
  std::string header = fmt::format(
      "ply\nformat binary_little_endian 1.0\ncomment surfaces written by Firn, t = {} s, m\n"
      "element vertex {}\n",
      frame.mark.time, vertices);
  for (const char* name : {"x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz"})
    header += fmt::format("property float {}\n", name);
  for (const char* name : {"red", "green", "blue"})
    header += fmt::format("property uchar {}\n", name);
  header += "property ushort material\nproperty ushort body\n";
  if (frame.has_temperature) header += "property float temperature\n";
  if (frame.has_id) header += "property uint nearest_id\n";
  header += fmt::format("element face {}\nproperty list uchar uint vertex_indices\nend_header\n",
                        triangles);
  AtomicFile file(path);
  file.write(header);
  Bytes faces;
  std::uint32_t first = 0;
  for (const SurfaceLayer& layer : frame.layers) {
    if (layer.surface == nullptr) continue;
    const SurfaceMesh& mesh = layer.surface->mesh();
    Bytes rows;
    for (std::size_t i = 0; i < mesh.vertices(); ++i) {
      for (const auto* values : {&mesh.positions, &mesh.normals, &layer.velocity})
        rows.append(&(*values)[3 * i], 3 * sizeof(float));
      for (std::size_t c = 0; c < 3; ++c) rows.add(byte_of(layer.color[3 * i + c]));
      rows.add(static_cast<std::uint16_t>(layer.material), layer.body[i]);
      if (frame.has_temperature) rows.add(layer.temperature[i]);
      if (frame.has_id) rows.add(layer.id[i]);
    }
    file.write(rows.all());
    for (std::size_t t = 0; t < mesh.triangles.size(); t += 3)
      faces.add(std::uint8_t{3}, first + mesh.triangles[t], first + mesh.triangles[t + 1],
                first + mesh.triangles[t + 2]);
    first += static_cast<std::uint32_t>(mesh.vertices());
  }
  file.write(faces.all());
  file.commit();
}

#if defined(FIRN_WITH_OPENVDB)
constexpr const char* kLevelSets = "output.surface: \"vdb\"";

openvdb::FloatGrid::Ptr level_set_of(const SurfaceLayer& layer, const FrameMark& mark) {
  if (layer.surface == nullptr)
    return empty_level_set(*openvdb::math::Transform::createLinearTransform(layer.voxel));
  const LevelSet& set = layer.surface->level_set();
  require_vdb_voxels(kLevelSets, set.voxel(), mark.dx);
  return signed_distances(layer.surface->mesh(), *set.whole(layer.surface->level()));
}

void write_level_sets(const std::filesystem::path& path, const SurfaceFrame& frame) {
  openvdb::GridCPtrVec grids;
  for (const SurfaceLayer& layer : frame.layers) {
    const openvdb::FloatGrid::Ptr grid = level_set_of(layer, frame.mark);
    grid->setName(layer.name);
    mark_grid(*grid, frame.mark);
    grids.push_back(grid);
  }
  write_grids(path, grids);
}

double finest_voxel(const Scene& scene) {
  double finest = std::numeric_limits<double>::infinity();
  for (const Body& body : scene.bodies)
    finest = std::min(finest, surface_voxel(scene, body.particles_per_cell));
  for (const Source& source : scene.sources)
    finest = std::min(finest, surface_voxel(scene, source.particles_per_cell));
  return finest;
}
#else
void write_level_sets(const std::filesystem::path&, const SurfaceFrame&) { require_surfaces(); }
#endif

constexpr SurfaceFormat kFormats[] = {
    {"obj", write_obj}, {"ply", write_ply_mesh}, {"vdb", write_level_sets}};

}  // namespace

std::span<const SurfaceFormat> surface_formats() { return kFormats; }

void require_surface_formats([[maybe_unused]] const Scene& scene,
                             std::span<const std::string> formats) {
  if (!formats.empty()) require_surfaces();
#if defined(FIRN_WITH_OPENVDB)
  if (std::find(formats.begin(), formats.end(), "vdb") != formats.end())
    require_vdb_voxels(kLevelSets, finest_voxel(scene), scene.grid.dx);
#endif
}

double surface_voxel([[maybe_unused]] const Scene& scene,
                     [[maybe_unused]] double particles_per_cell) {
#if defined(FIRN_WITH_OPENVDB)
  const double filled = particles_per_cell > 0 ? particles_per_cell : 8;
  const double spacing = scene.grid.dx / std::cbrt(filled);
  return LevelSet::voxel_of(surface_settings(scene), spacing);
#else
  return 0;
#endif
}

const SurfaceFormat* find_surface_format(std::string_view name) {
  for (const SurfaceFormat& format : kFormats)
    if (format.name == name) return &format;
  return nullptr;
}

}  // namespace firn
