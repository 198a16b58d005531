// Surfaces of a frame as files: Wavefront OBJ and binary PLY for renderers, level sets of OpenVDB.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/io/particle_channels.h"
#include "src/surface/particle_surface.h"

namespace firn {

// One surface that a scene may show, which has nothing in some frames; `velocity` (m/s) and `color`
// (sRGB in [0, 1]) have 3 entries per vertex.
struct SurfaceLayer {
  std::string name;  // one of its own, the same in all frames
  int material;
  double voxel;                    // about, of a level set, m
  const ParticleSurface* surface;  // null: nothing
  std::vector<float> velocity, color;
};

struct SurfaceFormat {
  std::string_view name;  // in scenes, on the command line, and of the files
  // Throws Error{kFile} if the file cannot be written.
  void (*write)(const std::filesystem::path&, std::span<const SurfaceLayer>, const FrameMark&);
};

// obj: an object per surface; positions with colours behind them, normals.
// ply: all in one mesh; x, y, z, nx, ny, nz, vx, vy, vz, red, green, blue, material by vertex.
// vdb: a level set per surface, named after it, of the mesh: signed distances in a narrow band,
// negative inside, m. The same grids in every frame.
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
