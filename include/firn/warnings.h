// What a scene says that is allowed and seldom meant.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// A sentence for each, as `firn run` prints them before it begins:
// bodies without particles, in colliders or in each other, plates that are thin for the grid,
// transfers and laws that do not suit. Samples shapes coarsely; takes as long as its meshes take to
// read. Throws Error{kFile} where these cannot be, and as `validate` for a scene that names
// materials which it has not.
std::vector<std::string> scene_warnings(const Scene& scene);

}  // namespace firn
