// Directions of any length, as files and structs may say them, of length one.
#pragma once

#include <cmath>

#include "firn/scene.h"

namespace firn::scene {

// hypot neither overflows nor underflows where a sum of squares would.
inline double length_of(const Vec3& v) { return std::hypot(v[0], v[1], v[2]); }
inline bool is_direction(const Vec3& v) {
  const double length = length_of(v);
  return length > 0 && std::isfinite(length);
}
inline Vec3 unit_direction(const Vec3& v) {
  const double length = length_of(v);
  return {v[0] / length, v[1] / length, v[2] / length};
}

}  // namespace firn::scene
