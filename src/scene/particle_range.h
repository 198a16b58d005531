// What a particle may weigh or take up.
#pragma once

#include "firn/scene.h"

namespace firn {

// The most kg, or m^d, that can be summed and squared in the scene's precision; the least is the
// inverse.
inline double most_of_particle(const Scene& scene) {
  return scene.simulation.precision == Precision::kSingle ? 1e30 : 1e140;
}

}  // namespace firn
