// Sources whose material is held where it comes from.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// One for each source at rest and each wall of the domain or collider at rest that holds what
// touches it (sticky, slip) less than a cell and a half behind the source, where velocities live on
// nodes: these give what has just been emitted the velocity of the wall, and it leaves no room for
// what follows. Reads meshes. Throws as compile_shape.
std::vector<std::string> source_warnings(const Scene& scene);

}  // namespace firn
