// What is wrong with the meshes of a scene, for people, before anything is computed from them.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// One sentence per mesh file that is not watertight (see MeshReport) and whose inside the winding
// number tells, and per shell that is too thin for the grid, in the order of the scene. Throws
// Error{kFile} for a mesh that cannot be read.
std::vector<std::string> mesh_warnings(const Scene& scene);

}  // namespace firn
