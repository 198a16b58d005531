// What surfaces reflect of the sun and the sky, beside the light that they scatter (shading.h).
#pragma once

#include <cmath>

#include "src/render/raytrace.h"
#include "src/render/shading.h"

namespace firn {

// Of many rays side by side; see SurfaceFinish.
struct FinishLanes {
  Lanes gloss{0.0f}, spread{1.0f}, soft{0.0f}, metal{0.0f};

  void set(int i, const SurfaceFinish& finish) {
    gloss[i] = finish.gloss;
    spread[i] = finish.spread;
    soft[i] = finish.soft;
    metal[i] = finish.metal ? 1.0f : 0.0f;
  }
  // Within what has that index: a varnish reflects less there than in air, by Fresnel's law.
  void wet(int i, float index) {
    if (metal[i] != 0) return;
    const float root = std::sqrt(gloss[i]), own = (1 + root) / (1 - root);
    const float left = (own - index) / (own + index);
    gloss[i] = gloss[i] > 0 ? left * left : 0;
  }
};

// Schlick's approximation of the part of the light that is reflected.
inline Lanes fresnel(const Lanes& from_above, const Lanes& cosine) {
  const Lanes c = Lanes(1.0f) - min(Lanes(1.0f), cosine);
  const Lanes c2 = c * c;
  return from_above + (Lanes(1.0f) - from_above) * c2 * c2 * c;
}

// Light from a direction: the sky, or the ground where it points down.
inline V3p surroundings(const V3p& direction, const Vec<float, 3>& up) {
  const Lanes height = dot(unit(direction), spread(up));
  return mix(spread({{0.30f, 0.29f, 0.28f}}), background(direction, up) * Lanes(1.25f),
             smoothstep(-0.25f, 0.1f, height));
}

// The sun's image, wider and dimmer the duller the surface.
inline Lanes highlight(const V3p& reflected, const Vec<float, 3>& to_sun, const Lanes& spread_of) {
  const Lanes square = spread_of * spread_of;
  return exp((dot(unit(reflected), spread(to_sun)) - Lanes(1.0f)) / square) * Lanes(0.05f) / square;
}

inline V3p mirrored(const V3p& direction, const V3p& normal) {
  return direction - normal * (Lanes(2.0f) * dot(direction, normal));
}

// Adds the reflection to the light that `albedo` has scattered; `view` is a unit vector.
inline V3p finished(const V3p& scattered, const FinishLanes& finish, const V3p& albedo,
                    const V3p& view, const V3p& normal, const Vec<float, 3>& to_sun,
                    const Vec<float, 3>& up, const Lanes& sun, const Lanes& sky) {
  const V3p way = mirrored(view, normal);
  const Lanes part = select(finish.gloss > Lanes(0.0f),
                            fresnel(finish.gloss, abs(dot(view, normal))), Lanes(0.0f));
  const V3p around = surroundings(way, up);
  const Lanes mirror = highlight(way, to_sun, finish.spread) * sun;
  V3p color;
  for (int c = 0; c < 3; ++c) {
    const Lanes tint = select(finish.metal > Lanes(0.0f),
                              albedo[c] + (Lanes(1.0f) - albedo[c]) * part * part, Lanes(1.0f));
    const Lanes light = around[c] * sky + Lanes(kSunLight[c]) * mirror;
    const Lanes own = select(finish.metal > Lanes(0.0f), Lanes(0.25f) * scattered[c],
                             scattered[c] * (Lanes(1.0f) - part));
    color[c] = own + tint * part * light;
  }
  return color;
}

}  // namespace firn
