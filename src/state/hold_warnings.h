// Bodies that end at the face of what is to hold them, where no node of the grid lies near it.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// One for each body and sticky or slip collider, or face of the domain, that touch without the
// body reaching in, where the nodes that hold there have less than kWeakHold of the kernel at that
// face. What is made of meshes is not looked at. Not for integrators with a projection, which cut
// cells. Throws as compile_shape.
inline constexpr double kWeakHold = 0.45;
std::vector<std::string> hold_warnings(const Scene& scene);

}  // namespace firn
