// The look of ray-traced pictures: sun, sky, light from below, background, and tone mapping. Light
// is linear; one is a white surface facing the sun.
#pragma once

#include <algorithm>
#include <cmath>

#include "src/render/mesh.h"

namespace firn {

inline constexpr V3f kSunLight{{1.02f, 0.96f, 0.86f}};
inline constexpr V3f kSkyLight{{0.34f, 0.40f, 0.50f}};
inline constexpr V3f kBounceLight{{0.20f, 0.18f, 0.16f}};
inline constexpr V3f kHorizon{{0.46f, 0.52f, 0.58f}};
inline constexpr V3f kZenith{{0.12f, 0.18f, 0.27f}};
inline constexpr float kSunRadius = 0.05f;  // tangent of its half angle; larger is softer

inline V3f mix(const V3f& a, const V3f& b, float t) { return a + (b - a) * t; }
inline V3f multiply(const V3f& a, const V3f& b) {
  return {{a[0] * b[0], a[1] * b[1], a[2] * b[2]}};
}
inline float smoothstep(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// Light leaving a diffuse surface. `sun` and `sky` are the fractions of either that reach it. Light
// caught in a hollow is reflected within it: the geometric series sky / (1 - albedo (1 - sky))
// keeps bright materials bright.
inline V3f shade(const V3f& albedo, const V3f& normal, const V3f& to_sun, const V3f& up, float sun,
                 float sky) {
  const float facing = std::max(0.0f, dot(normal, to_sun)) * sun;
  const V3f around = mix(kBounceLight, kSkyLight, 0.5f + 0.5f * dot(normal, up));
  V3f light;
  for (int c = 0; c < 3; ++c) {
    const float caught = sky / (1 - 0.85f * albedo[c] * (1 - sky));
    light[c] = albedo[c] * (kSunLight[c] * facing + around[c] * caught);
  }
  return light;
}

inline V3f background(const V3f& unit_direction, const V3f& up) {
  return mix(kHorizon, kZenith, smoothstep(-0.05f, 0.75f, dot(unit_direction, up)));
}

// Linear up to the knee, then a smooth approach to one, so that bright snow keeps its shape.
inline float tone_map(float x) {
  constexpr float kKnee = 0.6f;
  return x < kKnee ? x : kKnee + (1 - kKnee) * (1 - std::exp((kKnee - x) / (1 - kKnee)));
}

}  // namespace firn
