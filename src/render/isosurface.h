// Triangles of shapes that have no simple outline: height fields, differences, intersections.
#pragma once

#include "src/render/mesh.h"

namespace firn {

// Adds the surface of a height field over its rectangle, with sides down to its base, or a little
// below its lowest point where it has none. A profile in 2D adds points but no triangles.
void append_height_field(const Shape& shape, const Affine& placement, Mesh& mesh);

// Adds the zero level of the signed distance of any bounded shape, from a lattice of 128 cells
// along its longest side, with its sharp edges where they are. Returns whether it could: an
// unbounded shape adds nothing.
bool append_isosurface(const Shape& shape, const Affine& placement, Mesh& mesh);

}  // namespace firn
