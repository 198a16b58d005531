// Triangles without area, which a mesh has where its vertices came to lie on one line: at the edges
// of walls.
#pragma once

#include "src/surface/particle_surface.h"

namespace firn {

// Makes one of the ends of an edge of each, where the mesh stays closed and its faces stay where
// they are; the others are left. `voxel`: m, of the grid that the mesh was cut from. For meshes
// that have positions and triangles only.
void collapse_slivers(SurfaceMesh& mesh, double voxel);

}  // namespace firn
