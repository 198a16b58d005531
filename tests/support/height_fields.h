// Height fields for tests, and what rounding and spacing their tolerances are made of.
#pragma once

#include <limits>
#include <string>

#include "firn/scene.h"

namespace firn::test {

inline constexpr double kFieldDx = 0.1;
inline constexpr double kFieldSpacing = kFieldDx / 2;
inline constexpr double kFloatEpsilon = std::numeric_limits<float>::epsilon();

inline Shape height_field(const std::string& height, Vec3 min, Vec3 max) {
  Shape s;
  s.type = ShapeType::kHeightField;
  s.height = {0, height};
  s.min = min;
  s.max = max;
  return s;
}

}  // namespace firn::test
