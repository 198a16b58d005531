// The surfaces of materials in a picture, in place of the particles that lie within them.
#pragma once

#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/render/particle_color.h"
#include "src/render/raytrace.h"
#include "src/surface/walls.h"

namespace firn {

struct MaterialView {
  std::vector<Surface> bodies, clear;
  std::vector<bool> covered;  // by particle: within a surface; empty: none is

  // `first`: how many surfaces the picture has before these.
  void add_to(RayScene& rays, int first) &&;
};

// How pictures finish a material that they show by its surface: where colours show a channel,
// these are to be read where they are, not through what refracts.
Finish shown_finish(const Material& material, bool scalar_colors);

// Of the materials that the scene shows by their surface. `depth` (m): of white light, what passes
// so much of a clear material has its colour. They end at the walls.
MaterialView view_materials(const Scene& scene, const Snapshot& snapshot,
                            const ParticleColors& colors, double depth, const Walls& walls);

// Whether the scene shows any material by its surface.
bool shows_surfaces(const Scene& scene);

}  // namespace firn
