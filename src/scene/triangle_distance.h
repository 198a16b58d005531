// Distances from a point to triangles, and where on a triangle the nearest point lies.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "kernels/math/vec.h"

namespace firn {

// Squared distance from the origin to a segment.
inline double squared_distance_to_segment(const Vec<double, 3>& a, const Vec<double, 3>& b) {
  const Vec<double, 3> e = b - a;
  const double length = norm_squared(e);
  const double s = length > 0 ? clamp(-dot(a, e) / length, 0.0, 1.0) : 0.0;
  return norm_squared(a + s * e);
}

// Squared distance from the origin to a triangle: to its plane if the foot lies inside, else to its
// nearest edge.
inline double squared_distance_to_triangle(const Vec<double, 3>& a, const Vec<double, 3>& b,
                                           const Vec<double, 3>& c) {
  const Vec<double, 3> n = cross(b - a, c - a);
  const double length = norm_squared(n);
  const bool above = length > 0 && dot(cross(a, b), n) >= 0 && dot(cross(b, c), n) >= 0 &&
                     dot(cross(c, a), n) >= 0;
  if (above) return dot(a, n) * dot(a, n) / length;
  return std::min({squared_distance_to_segment(a, b), squared_distance_to_segment(b, c),
                   squared_distance_to_segment(c, a)});
}

// Weights of the corners, >= 0 and of sum 1, in the point of the triangle that is nearest to the
// origin: areas over that of the triangle if the foot on its plane lies inside, else those of the
// nearest edge.
inline std::array<double, 3> nearest_weights(const std::array<Vec<double, 3>, 3>& corner) {
  const auto& [a, b, c] = corner;
  const Vec<double, 3> n = cross(b - a, c - a);
  const double area = norm_squared(n);
  const std::array<double, 3> part{dot(cross(b, c), n), dot(cross(c, a), n), dot(cross(a, b), n)};
  if (area > 0 && part[0] >= 0 && part[1] >= 0 && part[2] >= 0) {
    const double sum = part[0] + part[1] + part[2];
    return {part[0] / sum, part[1] / sum, part[2] / sum};
  }
  std::array<double, 3> best{};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3;
    const double squared = squared_distance_to_segment(corner[i], corner[j]);
    if (!(squared < least)) continue;
    least = squared;
    const Vec<double, 3> e = corner[j] - corner[i];
    const double length = norm_squared(e);
    best = {};
    best[j] = length > 0 ? clamp(-dot(corner[i], e) / length, 0.0, 1.0) : 0.0;
    best[i] = 1 - best[j];
  }
  return best;
}

}  // namespace firn
