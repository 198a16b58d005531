// Light at every particle that a camera ray has met. Light at a particle (rather than at each point
// of its sphere) costs few rays, has no noise, and its mean free direction makes a mass of spheres
// shade like the surface that it is.
#pragma once

#include <vector>

#include "src/render/picture_hits.h"

namespace firn {

struct ParticleLight {
  float sun = 0, sky = 0;
  V3f open{{0, 0, 0}};    // mean free direction, of length one on a plane
  V3f albedo{{0, 0, 0}};  // its colour as linear light
};

// By particle; of those that are not visible there is none.
std::vector<ParticleLight> light_particles(const PictureHits& hits, const LightDirections& lights);

}  // namespace firn
