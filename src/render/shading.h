// The look of ray-traced pictures: sun, sky, light from below, background, and tone mapping. Light
// is linear; one is a white surface facing the sun.
#pragma once

#include <limits>

#include "src/render/lanes.h"

namespace firn {

inline constexpr Vec<float, 3> kSunLight{{1.02f, 0.96f, 0.86f}};
inline constexpr Vec<float, 3> kSkyLight{{0.34f, 0.40f, 0.50f}};
inline constexpr Vec<float, 3> kBounceLight{{0.20f, 0.18f, 0.16f}};
inline constexpr Vec<float, 3> kHorizon{{0.46f, 0.52f, 0.58f}};
inline constexpr Vec<float, 3> kZenith{{0.12f, 0.18f, 0.27f}};
inline constexpr float kSunRadius = 0.05f;  // tangent of its half angle; larger is softer
inline constexpr float kDeepSky = 0.15f;    // of the sky's light, what trickles down anywhere
// Where the ground fades into the background: distance from the centre of the scene / its size.
inline constexpr float kFadeFrom = 2.5f, kFadeTo = 7.0f;

// How far off a surface rays to the light begin: beyond the rounding of places, and else within a
// part of the scene's size and of what a pixel covers, so that the shadows of small things are
// there in pictures from nearby. `distance`: from the eye, m; `pixel`: the height of one over its
// distance.
inline Lanes lift_of(const V3p& position, const Lanes& distance, float pixel, float size) {
  constexpr float kUlps = 16 * std::numeric_limits<float>::epsilon();
  const Lanes largest =
      max(max(abs(position[0]), abs(position[1])), max(abs(position[2]), distance));
  return max(Lanes(kUlps) * largest, min(Lanes(2e-4f * size), Lanes(0.5f * pixel) * distance));
}

inline V3p mix(const V3p& a, const V3p& b, const Lanes& t) { return a + (b - a) * t; }
inline Lanes smoothstep(float low, float high, const Lanes& x) {
  const Lanes t = clamp((x - Lanes(low)) * Lanes(1 / (high - low)), Lanes(0.0f), Lanes(1.0f));
  return t * t * (Lanes(3.0f) - Lanes(2.0f) * t);
}
inline V3p unit(const V3p& x) {
  const Lanes square = dot(x, x);
  const Lanes length = sqrt(square);
  return select(square > Lanes(0.0f), x * (Lanes(1.0f) / length), spread({{0, 1, 0}}));
}

// Light leaving a diffuse surface; `soft`: how far beyond the edge of its own shadow it is lit.
// `sun` and `sky` are the fractions of either that reach it; `passed`: of each colour of that sun,
// if it came through something clear. Light caught in a hollow is reflected
// within it: the geometric series sky / (1 - albedo (1 - sky)) keeps bright materials bright.
inline V3p shade(const V3p& albedo, const V3p& normal, const Vec<float, 3>& to_sun,
                 const Vec<float, 3>& up, const Lanes& sun, const Lanes& sky,
                 const Lanes& soft = Lanes(0.0f), const V3p* passed = nullptr) {
  const Lanes facing =
      max(Lanes(0.0f), (dot(normal, spread(to_sun)) + soft) / (Lanes(1.0f) + soft)) * sun;
  const V3p around = mix(spread(kBounceLight), spread(kSkyLight),
                         Lanes(0.5f) + Lanes(0.5f) * dot(normal, spread(up)));
  V3p light;
  for (int c = 0; c < 3; ++c) {
    const Lanes caught = sky / (Lanes(1.0f) - Lanes(0.85f) * albedo[c] * (Lanes(1.0f) - sky));
    const Lanes direct = passed ? facing * (*passed)[c] : facing;
    light[c] = albedo[c] * (Lanes(kSunLight[c]) * direct + around[c] * caught);
  }
  return light;
}

inline V3p background(const V3p& direction, const Vec<float, 3>& up) {
  return mix(spread(kHorizon), spread(kZenith),
             smoothstep(-0.05f, 0.75f, dot(unit(direction), spread(up))));
}

// Linear up to the knee, then a smooth approach to one, so that bright snow keeps its shape.
inline Lanes tone_map(const Lanes& x) {
  const Lanes knee(0.6f), rest(0.4f);
  const auto bright = x >= knee;
  if (!any(bright)) return x;
  return select(bright, knee + rest * (Lanes(1.0f) - exp((knee - x) / rest)), x);
}

// Linear light in [0,1] as sRGB (IEC 61966-2-1).
inline Lanes to_srgb(const Lanes& light) {
  const Lanes x = clamp(light, Lanes(0.0f), Lanes(1.0f));
  const Lanes root = exp(log(max(x, Lanes(1e-6f))) * Lanes(1 / 2.4f));
  return select(x <= Lanes(0.0031308f), Lanes(12.92f) * x, Lanes(1.055f) * root - Lanes(0.055f));
}

}  // namespace firn
