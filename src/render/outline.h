// The edges of a scene's domain, drawn over a picture as thin lines that end where something
// opaque is nearer.
#pragma once

#include "src/render/picture_hits.h"

namespace firn {

// A line at whose pixel the camera ray meets a clear material first is drawn more faintly.
void draw_outline(const PictureHits& hits, const Projection& view, const Outline& outline,
                  Image& image);

}  // namespace firn
