// Surfaces of a frame as files: Wavefront OBJ and binary PLY for renderers, level sets of OpenVDB.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/io/particle_channels.h"
#include "src/surface/particle_surface.h"

namespace firn {

// One surface that a scene may show, which has nothing in some frames; `velocity` (m/s) and `color`
// (sRGB in [0, 1]) have 3 entries per vertex, `temperature` (K), if the frame has any, and of the
// nearest particle `body` and `id` one.
struct SurfaceLayer {
  std::string name;  // one of its own, the same in all frames
  int material;
  double voxel;                    // about, of a level set, m
  const ParticleSurface* surface;  // null: nothing
  std::vector<float> velocity{}, color{}, temperature{};
  std::vector<std::uint16_t> body{};
  std::vector<std::uint32_t> id{};
};

// What files say of surfaces, in all frames of a scene alike.
struct SurfaceFrame {
  FrameMark mark;
  bool has_temperature = false, has_id = false;
  std::vector<SurfaceLayer> layers;
};

struct SurfaceFormat {
  std::string_view name;  // in scenes, on the command line, and of the files
  // Throws Error{kFile} if the file cannot be written.
  void (*write)(const std::filesystem::path&, const SurfaceFrame&);
};

// obj: an object per surface; positions with colours behind them, normals.
// ply: all in one mesh; x, y, z, nx, ny, nz, vx, vy, vz, red, green, blue, material, body and,
// where the frame has them, temperature and nearest_id by vertex. vdb: a level set per surface,
// named after it, of the mesh: signed distances in a narrow band, negative inside, m. The same
// grids in every frame.
std::span<const SurfaceFormat> surface_formats();

// Throws Error{kScene} if one of these formats cannot hold the surfaces of a scene's particles, who
// are as far apart as its bodies and sources place them: OpenVDB has a least voxel.
void require_surface_formats(const Scene& scene, std::span<const std::string> formats);

// The distance of two voxels of the level set where a cell is filled with so many particles, m; 0:
// as many as bodies and sources have that do not say.
double surface_voxel(const Scene& scene, double particles_per_cell);

// Null: there is none of that name.
const SurfaceFormat* find_surface_format(std::string_view name);

}  // namespace firn
