// How the mesh of a surface ends at walls, once it is cut behind them (level_set.h).
#pragma once

#if defined(FIRN_WITH_OPENVDB)
#include <vector>

#include "src/surface/level_set.h"
#include "src/surface/particle_surface.h"

namespace firn {

// Vertices that lie in a wall go onto it; where walls meet or have an edge the mesh has one as
// well. What lies in walls alone goes. Returns the part of the vertices that lie on walls.
double push_out_of_walls(SurfaceMesh& mesh, const LevelSet& set);

// Of each vertex whether it lies on a wall; empty where there are none.
std::vector<char> vertices_on_walls(const SurfaceMesh& mesh, const LevelSet& set);

}  // namespace firn
#endif
