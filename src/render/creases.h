// Normals of meshes that come without any.
#pragma once

#include "src/render/mesh.h"

namespace firn {

// Gives each corner of a triangle the mean, by angle, of the normals of those about it that meet
// there at less than 40 degrees, so that what is round is smooth and edges stay. Vertices at the
// same place are one. Positions and indices become those of corners.
void add_creased_normals(Mesh& mesh);

}  // namespace firn
