// Walls of the domain as panes of glass: thin, so that they refract nothing and hide nothing, but
// reflect the sun and the sky, tint what is behind them a little, and have bright edges.
#pragma once

#include "src/render/finish.h"
#include "src/render/raytrace.h"

namespace firn {

// Whether a ray passes panes into the box or out of it: the former are before all that is in the
// box, the latter behind it.
enum class Through { kInto, kOutOf };

// The light of rays that comes to `eye` through panes. Without them it is `light`, of what is met
// at `distance`, in units of the ray's direction.
V3p through_glass(const GlassBox& glass, Through through, const V3p& light, const V3f& eye,
                  const V3p& direction, const Lanes& distance, const V3f& to_sun, const V3f& up);

}  // namespace firn
