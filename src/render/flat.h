// Flat pictures of 2D scenes: anti-aliased discs over filled colliders and the outline of the
// domain.
#pragma once

#include <vector>

#include "firn/scene.h"
#include "firn/simulation.h"
#include "src/render/color_map.h"
#include "src/render/image.h"
#include "src/render/view.h"

namespace firn {

// Later layers lie over earlier ones. `poses` take collider coordinates to the world, one per
// collider of the scene.
Image draw_flat(const Scene& scene, const std::vector<PointLayer>& layers,
                const std::vector<Affine>& poses, const FlatView& view, int width, int height);

}  // namespace firn
