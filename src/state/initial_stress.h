// How the particles of a body are strained that begins under stress.
#pragma once

#include <vector>

#include "firn/scene.h"

namespace firn {

struct InitialStress {  // along the axes, at each of some places; empty where a body says nothing
  std::vector<Vec3> stress;     // Kirchhoff's, Pa: what forces are made of
  std::vector<Vec3> stretches;  // with which the material has that stress
};

// Throws Error{kScene} that names the body and the place where its material bears no such stress.
InitialStress initial_stress(const Scene& scene, const Body& body, const std::vector<Vec3>& places);

}  // namespace firn
