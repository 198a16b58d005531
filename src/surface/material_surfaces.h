// The surfaces of a scene's materials at one moment: which particles lie within which.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/surface/particle_surface.h"
#include "src/surface/walls.h"

namespace firn {

struct MaterialSurface {
  int material;
  int body;                              // of a solid, beyond the bodies a source; of a liquid 0
  std::vector<std::uint32_t> particles;  // their indices in the snapshot
  ParticleSurface surface;

  // Means about each vertex of a channel of all the snapshot's particles.
  std::vector<float> at_vertices(std::span<const float> values, int components) const;
  // As ParticleSurface's, of a vector of all the snapshot's particles.
  std::vector<float> fitted_at_vertices(std::span<const float> vectors) const;
  // In the snapshot.
  std::vector<std::uint32_t> nearest_to_vertices() const;
};

// Whether all of a material has one surface.
bool is_liquid(MaterialModel model);

// Whether pictures show a material of the scene by its surface.
bool is_shown_as_surface(const Scene& scene, int material);

// What material_surfaces holds for each particle: lists of cells, voxels, and a mesh, and where the
// scene has walls images in them, as of a cube of a million particles with walls on all sides.
double surface_bytes(const Scene& scene);

// Whether frames of the scene need surfaces, for pictures or for files.
bool makes_surfaces(const Scene& scene);

SurfaceSettings surface_settings(const Scene& scene);

// Liquids have one surface per material; solids, which may touch without becoming one, one for each
// body. `wanted` says for each material of the scene whether it is. The surfaces enclose the
// particles' volumes at rest, and end at the walls. Throws as require_surfaces.
std::vector<MaterialSurface> material_surfaces(const Scene& scene, const Snapshot& snapshot,
                                               const std::vector<bool>& wanted, const Walls& walls);

}  // namespace firn
