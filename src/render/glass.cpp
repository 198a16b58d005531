#include "src/render/glass.h"

#include <algorithm>

namespace firn {
namespace {

// What one of a pane's two surfaces reflects of light from straight above, of an index of 1.5.
constexpr float kReflected = 0.04f;
constexpr float kSunSpread = 0.05f;
// What passes a pane straight, of each colour: panes are a little green, as their iron makes them.
constexpr V3f kTint{{0.955f, 0.98f, 0.968f}};

// What counts of the ground's mirror image, which would only veil what the pane stands before.
constexpr float kOfGround = 0.3f;

// The light behind a pane across an axis, as it comes through it.
V3p seen_through(const V3p& light, const V3p& direction, int axis, const V3f& to_sun,
                 const V3f& up) {
  const V3p view = unit(direction);
  const Lanes cosine = max(abs(view[axis]), Lanes(0.05f));
  V3p way = view;
  way[axis] = -way[axis];
  const Lanes surface = fresnel(Lanes(kReflected), cosine);
  const Lanes upward = smoothstep(-0.25f, 0.1f, dot(way, spread(up)));
  const Lanes part = Lanes(2.0f) * surface / (Lanes(1.0f) + surface) *  // back and forth within
                     (Lanes(kOfGround) + Lanes(1 - kOfGround) * upward);
  const V3p around = surroundings(way, up);
  const Lanes sun = highlight(way, to_sun, Lanes(kSunSpread));
  const Lanes length = min(Lanes(1.0f) / cosine, Lanes(4.0f));
  V3p result;
  for (int c = 0; c < 3; ++c)
    result[c] = part * (around[c] + Lanes(kSunLight[c]) * sun) +
                (Lanes(1.0f) - part) * light[c] * (Lanes(1.0f) - Lanes(1 - kTint[c]) * length);
  return result;
}

}  // namespace

// A ray passes at most one pane of each axis in either way, and of those in one way the order does
// not matter to the eye: all are nearly clear.
V3p through_glass(const GlassBox& glass, Through through, const V3p& light, const V3f& eye,
                  const V3p& direction, const Lanes& distance, const V3f& to_sun, const V3f& up) {
  V3p result = light;
  for (int axis = 0; axis < 3; ++axis)
    for (const bool upper : {false, true}) {
      if (!glass.has(axis, upper)) continue;
      const float outward = upper ? 1.0f : -1.0f;
      const float wall = upper ? glass.max[axis] : glass.min[axis];
      const bool inside = outward * (eye[axis] - wall) < 0;
      if (inside != (through == Through::kOutOf)) continue;
      const Lanes t = Lanes(wall - eye[axis]) / direction[axis];
      // How far outside of the pane the ray ends.
      const Lanes beyond = Lanes(outward) * (direction[axis] * distance - Lanes(wall - eye[axis]));
      auto passes = t > Lanes(0.0f) && (inside ? beyond > Lanes(0.01f * glass.touching)
                                               : beyond < Lanes(glass.touching));
      for (int a = 0; a < 3; ++a) {
        const Lanes at = Lanes(eye[a]) + direction[a] * t;
        if (a != axis) passes = passes && at >= Lanes(glass.min[a]) && at <= Lanes(glass.max[a]);
      }
      if (any(passes))
        result = select(passes, seen_through(result, direction, axis, to_sun, up), result);
    }
  return result;
}

}  // namespace firn
