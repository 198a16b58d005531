// Points on the surface of a shape, where it may meet others.
#pragma once

#include <vector>

#include "src/scene/shapes.h"

namespace firn {

struct SurfacePoints {
  double spacing;            // m, about which they are apart
  std::vector<Vec3> points;  // m, in the coordinates of the scene
};

// `dx` apart, or so that no more than 32 lie along the longest side of the shape's bounds. Convex
// edges and corners have points of their own. The shape must be bounded.
SurfacePoints surface_points(const CompiledShape& shape, double dx);

}  // namespace firn
