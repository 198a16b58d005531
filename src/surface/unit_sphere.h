// A sphere of triangles, for drops that one particle is.
#pragma once

#include "src/surface/particle_surface.h"

namespace firn {

// About the origin, of radius 1, without normals: an icosahedron whose triangles are divided into
// four, so many times.
SurfaceMesh unit_sphere(int divisions);

}  // namespace firn
