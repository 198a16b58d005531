// The surface of a grid of an OpenVDB file as a mesh: of a level set, or of densities where they
// pass a value. Bodies, colliders and pictures then take it as any other mesh.
#pragma once

#include <optional>
#include <string>

#include "src/scene/mesh.h"

namespace firn {

// Of the grid of that name, or of the only one of numbers if the name is empty. A level set has its
// surface at 0 and takes no `iso`; densities (fog) need one, and are solid where they exceed it.
// Distances and places are as the grid's transform says, in m. Vertices lie where the grid, linear
// between voxels, passes the value, so the mesh is off a surface with radius of curvature r by
// about h^2 / (8 r) at voxels of h. Throws Error{kFile} that names the file, the grid and the
// reason, and Error{kScene} in a build without OpenVDB.
TriangleMesh load_vdb_surface(const std::string& path, const std::string& grid,
                              std::optional<double> iso);

// The same errors, but for those that only its values show: reads what the file says of its grids.
void check_vdb(const std::string& path, const std::string& grid, std::optional<double> iso);

}  // namespace firn
