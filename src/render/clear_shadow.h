// What of the sun's light comes through clear materials. It goes on straight: what refraction
// gathers elsewhere is not shown, and what it takes away from here is a fixed part.
#pragma once

#include "src/render/embree_scene.h"

namespace firn {

// For each of the rays that are open: what is left of red, green and blue after the clear surfaces
// on its way. `size`: of the scene, m. Returns false, and sets nothing, where no ray meets any.
bool pass_clear(const RayMeshes& clear, float size, const ShadowRays& rays, Packet3& passed);

}  // namespace firn
