// Meshes and their grids that were used last, so that copies of one mesh, and the same shape asked
// for again, do not cost the file and the distances anew. Safe on several threads.
#pragma once

#include <memory>
#include <string>

#include "src/scene/mesh.h"

namespace firn {

// load_mesh, as long as the file stays as it is.
std::shared_ptr<const TriangleMesh> cached_mesh(const std::string& path);

// mesh_to_grid, or with a thickness > 0 shell_to_grid, of cached_mesh(path).
std::shared_ptr<const MeshGrid> cached_grid(const std::string& path, double voxel_size,
                                            double thickness);

}  // namespace firn
