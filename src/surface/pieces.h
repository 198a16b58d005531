// The closed pieces of a mesh.
#pragma once

#include <cstdint>
#include <vector>

#include "src/surface/particle_surface.h"

namespace firn {

// A piece has the number of one of its vertices.
struct Pieces {
  std::vector<std::uint32_t> of_vertex;
  std::vector<double> volume;  // m^3, enclosed, by piece
};
Pieces pieces_of(const SurfaceMesh& mesh);

// Takes out the vertices and triangles of all others; `is_kept` by piece. For meshes that have
// positions and triangles only.
void keep_pieces(SurfaceMesh& mesh, const Pieces& pieces, const std::vector<char>& is_kept);

// Takes out pieces that enclose less, m^3: where particles that are no lone drops hardly reach the
// level of a surface, what is left of them comes and goes from frame to frame.
void drop_crumbs(SurfaceMesh& mesh, double least);

}  // namespace firn
