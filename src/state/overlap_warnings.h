// Bodies that begin, and sources that lie, within colliders, and bodies that lie in each other.
#pragma once

#include <string>
#include <vector>

#include "firn/scene.h"

namespace firn {

// One for each body of which a hundredth or more lies deep in a collider that pushes it out, where
// the collider is at the start: not a sticky one. And for each source at rest with
// one of any kind. Reads meshes. Throws as compile_shape.
std::vector<std::string> overlap_warnings(const Scene& scene);

// One for each two colliders, of which material moves one or both, that begin in each other, and
// for each of these that begins in a wall of the domain: deeper than contact lets them stay; a few,
// and how many more there are. Throws as compile_shape.
std::vector<std::string> solid_overlap_warnings(const Scene& scene);

// One for each two bodies of which one lies by a hundredth or more deep in the other; a few, and
// how many more there are. Throws as compile_shape.
std::vector<std::string> shared_space_warnings(const Scene& scene);

}  // namespace firn
