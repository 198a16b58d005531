// What colliders, and the domain's walls, do not do.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// Nodes hold material: a plate without one within has no effect, and one with a single layer of
// them no side, which slip and separate ask for.
std::vector<std::string> collider_warnings(const Scene& scene);

// Of the domain as of colliders; one number for all faces means those that rub.
std::vector<std::string> wall_warnings(const Scene& scene);

}  // namespace firn
