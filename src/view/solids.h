// The colliders and the domain of a scene as the page draws them: triangles and the lines where
// their surface has an edge, in the coordinates of the collider at rest.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn::view {

struct Solid {
  std::string name;
  Vec3 color{};
  bool plane = false;  // a half-space: a point and its normal, in place of the lists
  Vec3 point{}, normal{};
  std::vector<float> triangles;  // x, y, z of three corners each
  std::vector<float> lines;      // x, y, z of two ends each
};

// One per collider and half-space, `collider` by `collider`; a mesh beyond half a million triangles
// is a box.
struct Solids {
  std::vector<Solid> solids;
  std::vector<int> collider;  // of each: its index, whose pose it has
};
// Throws Error{kFile} if the file of a mesh cannot be read.
Solids solids_of(const Scene& scene);

}  // namespace firn::view
