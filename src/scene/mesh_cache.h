// Meshes and their grids that were used last, so that copies of one mesh, and the same shape asked
// for again, do not cost the file and the distances anew. Safe on several threads.
#pragma once

#include <memory>
#include <string>

#include "src/scene/mesh.h"

namespace firn {

// Whether the shape is a surface of triangles: a mesh, a vdb or a text. Sequences have many.
bool is_triangles(ShapeType type);

// The triangles of such a shape, in its own coordinates, before `size`, `scale` and what follows;
// those of a file as long as that stays as it is. Throws as load_mesh, load_vdb_surface, text_mesh.
std::shared_ptr<const TriangleMesh> cached_mesh(const Shape& shape);

// mesh_to_grid, or with a thickness > 0 shell_to_grid, of cached_mesh(shape).
std::shared_ptr<const MeshGrid> cached_grid(const Shape& shape, double voxel_size,
                                            double thickness);

// What it is called in messages: its file, or a text itself.
std::string name_of(const Shape& shape);

// The factor that `size` and `scale` make together: of a mesh and of a vdb `size` is the longest
// edge of the box around all vertices, of a text it is in the triangles already. Throws
// Error{kScene} for a mesh without an extent.
double scale_of(const Shape& shape, const TriangleMesh& mesh);

}  // namespace firn
