// What is set while a simulation runs is held against what `validate` holds scenes against.
#pragma once

#include <cstddef>

#include "firn/scene.h"

namespace firn::scene {

// Key frames that a collider of the scene is to follow. Throws Error{kScene} with every finding
// ("collider.0.motion.times.1: what and how to mend it"), or where there is none that could.
void validate_motion(const Scene& scene, std::size_t collider, const Keyframes& motion);

}  // namespace firn::scene
