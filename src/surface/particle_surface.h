// Surfaces of particles: a level set on a sparse grid, and the mesh of one of its levels. Built
// with OpenVDB; 3D.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "firn/scene.h"

namespace firn {

// `position` and `volume` (m^3) have 3 entries and 1 per particle.
struct SurfaceParticles {
  std::span<const float> position, volume;
};

struct SurfaceSettings {
  double voxel = 0.67;  // at most, over the spacing of particles
  int smoothing = 10;   // rounds of smooth()
  SurfaceKernel kernel = SurfaceKernel::kIsotropic;
  double drawn = 0.6;  // spacings: what is so near to a wall is drawn to it, as liquids wet one
};

struct SurfaceMesh {
  std::vector<float> positions;          // 3 per vertex, m
  std::vector<float> normals;            // outward unit vectors, 3 per vertex
  std::vector<std::uint32_t> triangles;  // 3 per triangle, counter-clockwise seen from outside

  std::size_t vertices() const { return positions.size() / 3; }
};

// Moves vertices towards the mean of their neighbours and back [Taubin 1995], which takes ripples
// of the size of triangles away and leaves all that is larger, the volume nearly included.
void smooth(SurfaceMesh& mesh, int rounds);

// Volume that a closed mesh encloses, m^3.
double enclosed_volume(const SurfaceMesh& mesh);

// Whether the build has OpenVDB; Error{kScene} if not.
bool surfaces_available();
void require_surfaces();

class LevelSet;  // level_set.h
class Walls;     // walls.h

class ParticleSurface {
 public:
  // Particles with positions that are not finite are left out. The mesh is closed, encloses the sum
  // of the particles' volumes, and ends at the walls: where material touches one it lies on it, and
  // no vertex lies within. The same particles give the same surface for any number of threads.
  // Throws as require_surfaces.
  ParticleSurface(const SurfaceParticles& particles, const SurfaceSettings& settings);
  ParticleSurface(const SurfaceParticles& particles, const SurfaceSettings& settings,
                  const Walls& walls);
  ~ParticleSurface();
  ParticleSurface(ParticleSurface&&) noexcept;
  ParticleSurface& operator=(ParticleSurface&&) noexcept;

  const SurfaceMesh& mesh() const;
  // The mesh for who looks at it: along the edge of what lies on walls the vertices are there
  // twice, once with the normal of the free surface and once with that of the wall, or the row of
  // triangles between would show a bevel that is none. `copied` says which vertex each of those
  // behind the mesh's own is. It is closed no longer, in all but position. The surface has no mesh
  // then, at whose vertices values could be asked for.
  SurfaceMesh creased(std::vector<std::uint32_t>& copied) &&;
  // Means of the particles about each vertex: `values` has `components` entries per particle, the
  // result as many per vertex.
  std::vector<float> at_vertices(std::span<const float> values, int components) const;
  // Of `vectors`, 3 entries per particle, what they come to at each vertex, beyond the particles:
  // linear functions of the place as they are, rigid motions among them (near_fits.h).
  std::vector<float> fitted_at_vertices(std::span<const float> vectors) const;
  // The index of the particle that is nearest to each vertex, 0 where none is near.
  std::vector<std::uint32_t> nearest_to_vertices() const;

  // For what reads grids of OpenVDB, in builds that have it: the level set, of which the mesh is
  // the level `level()`, m.
  const LevelSet& level_set() const;
  double level() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace firn
