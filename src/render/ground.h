// The grid on the ground.
#pragma once

#include "src/render/raytrace.h"
#include "src/render/shading.h"

namespace firn {

// Lines one pixel wide at multiples of the spacing along both directions of a plane; `footprint` is
// the size of a pixel there.
inline Lanes grid_line(const PlanePatch& plane, float spacing, const V3p& position,
                       const Lanes& footprint) {
  const Lanes half_width = max(Lanes(0.5f) * footprint, Lanes(0.006f * spacing));
  const Lanes line = min(Lanes(1.0f), Lanes(0.012f * spacing) / half_width);
  Lanes strength(0.0f);
  for (const V3f& axis : plane.axes) {
    const Lanes t = dot(position, spread(axis)) * Lanes(1 / spacing);
    const Lanes distance = abs(t - floor(t + Lanes(0.5f))) * Lanes(spacing);
    strength = select(distance < half_width, line, strength);
  }
  return strength;
}

inline V3p ground_albedo(const PlanePatch& plane, float spacing, const V3p& position,
                         const Lanes& footprint) {
  return spread(plane.color) *
         (Lanes(1.0f) - Lanes(0.16f) * grid_line(plane, spacing, position, footprint));
}

}  // namespace firn
