// What becomes of bodies that a scene names and a run does not show: too small, cut away,
// elsewhere.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// One for each body that gets no particles, and why, for each that lies outside the domain, as for
// sources at rest, or is there twice.
// Does not sample bodies that must have particles.
std::vector<std::string> body_warnings(const Scene& scene);

}  // namespace firn
