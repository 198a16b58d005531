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
  const auto faces = 2 * static_cast<std::size_t>(scene.simulation.dimension);
  for (std::size_t face = 0; scene.grid.domain && face < faces; ++face)
    found |= scene.grid.domain->boundary[face] == type;
  for (const Collider& c : scene.colliders) found |= c.boundary == type;
  return found;
}

}  // namespace firn
