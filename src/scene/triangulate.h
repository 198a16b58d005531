// Cutting a plane polygon with holes into triangles.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace firn {

using PlanePoint = std::array<double, 2>;
using PlaneLoop = std::vector<PlanePoint>;  // closed, without repeating its first point

// Twice the area that a loop encloses, > 0 where it runs counter-clockwise.
double twice_area(const PlaneLoop& loop);
// Whether the point lies inside of it; either where it lies on it.
bool encloses(const PlaneLoop& loop, const PlanePoint& point);

// Triangles, counter-clockwise, whose corners count through the points of `outer` and then of each
// of `holes`, with no points of their own: every edge of a loop belongs to one of them. `outer`
// runs counter-clockwise, holes run clockwise and lie inside of it. By cutting off ears; loops that
// cross themselves give some triangles that overlap. Takes O(n^2) of n points as a rule.
std::vector<std::array<std::uint32_t, 3>> triangulate(const PlaneLoop& outer,
                                                      std::span<const PlaneLoop> holes);

}  // namespace firn
