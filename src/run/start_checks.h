// What a simulation refuses or should be told of when it begins, and what it refuses at the ends of
// frames.
#pragma once

#include <cstddef>

#include "firn/simulation.h"

namespace firn {

// The scene, if it is valid (scene_file.h).
const Scene& validated(const Scene& scene);
// Throws Error{kScene} if nothing is there and nothing will come.
void require_particles(const Scene& scene, std::size_t particles);
// Throws Error{kDiverged} where a sum over all particles is no number though each of them may be.
void require_finite(const FrameStats& stats);

}  // namespace firn
