// Bodies that begin within colliders.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// One for each body of which a hundredth or more lies deep in a collider that pushes it out: not a
// sticky one, nor one that moves by key frames. Reads meshes. Throws as compile_shape.
std::vector<std::string> overlap_warnings(const Scene& scene);

}  // namespace firn
