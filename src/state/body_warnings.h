// What becomes of bodies that a scene names and a run does not show: too small, cut away,
// elsewhere.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// One for each body that gets no particles, and why, and for each that lies outside the domain.
// Does not sample bodies that must have particles.
std::vector<std::string> body_warnings(const Scene& scene);

}  // namespace firn
