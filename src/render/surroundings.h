// What a picture shows beside the material, where the scene leaves it open.
#pragma once

#include <vector>

#include "firn/scene.h"
#include "src/render/particle_color.h"
#include "src/render/view.h"

namespace firn {

// By output.legend; empty: none.
std::vector<LegendEntry> shown_legend(const Scene& scene);

// By output.outline.
bool shows_outline(const Scene& scene, const Projection& view);

// Of planes that the scene gives no colour, sRGB: grey, and light beneath dark materials.
Vec3 ground_color(const Scene& scene);

}  // namespace firn
