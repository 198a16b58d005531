// What a picture shows beside the material, where the scene leaves it open.
#pragma once

#include <optional>
#include <vector>

#include "firn/scene.h"
#include "src/render/particle_color.h"
#include "src/render/raytrace.h"
#include "src/render/view.h"

namespace firn {

// By output.legend; empty: none.
std::vector<LegendEntry> shown_legend(const Scene& scene);

// By output.glass; none where no face of the domain is a wall. Its floor, down which gravity
// points, is none.
std::optional<GlassBox> shown_glass(const Scene& scene, const V3d& up, const Projection& view);

// By output.outline and output.glass: the edges of the domain, or of its panes.
std::vector<Outline> shown_outlines(const Scene& scene, const V3d& up, const Projection& view);

// Of planes that the scene gives no colour, sRGB: grey, and light beneath dark materials.
Vec3 ground_color(const Scene& scene);
// Whether a material has a colour that white paper would hide.
bool is_lost_on_white(const Scene& scene);

}  // namespace firn
