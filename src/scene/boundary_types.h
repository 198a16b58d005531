// Which kinds of boundaries a scene has.
#pragma once

#include "firn/scene.h"

namespace firn {

// Whether a face of the domain stops material, which leaves or comes back through the others.
inline bool is_wall(BoundaryType face) {
  return face != BoundaryType::kPeriodic && face != BoundaryType::kOpen;
}

// Of walls of the domain and of colliders.
inline bool has_boundary_type(const Scene& scene, BoundaryType type) {
  bool found = false;
  if (scene.grid.domain)
    for (BoundaryType of_wall : scene.grid.domain->boundary) found |= of_wall == type;
  for (const Collider& c : scene.colliders) found |= c.boundary == type;
  return found;
}

}  // namespace firn
