// What becomes of bodies that a scene names and a run does not show: too small, cut away,
// elsewhere.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// Bodies that have no place, outside the domain or beyond the grid's reach, and why: what no run
// begins with.
std::vector<std::string> unplaced_bodies(const Scene& scene);

// One for each body that gets no particles, and why, for each that lies outside the domain, as for
// sources, colliders and regions at rest, or is there twice.
// Does not sample bodies that must have particles.
std::vector<std::string> body_warnings(const Scene& scene);

}  // namespace firn
