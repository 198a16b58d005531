#include "src/scene/surface_points.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>

namespace firn {
namespace {

// Where the way along the gradient from a point outside comes to the surface: of a point beside a
// convex edge or corner a point of these.
std::optional<Vec3> projected(const CompiledShape& shape, Vec3 x, double spacing) {
  constexpr int kSteps = 16;
  for (int step = 0; step < kSteps; ++step) {
    const double phi = distance(shape, x);
    if (std::abs(phi) < 1e-4 * spacing) return x;
    const Vec3 n = normal(shape, x, 1e-3 * spacing);
    for (std::size_t a = 0; a < 3; ++a) x[a] -= phi * n[a];
  }
  return std::nullopt;
}

}  // namespace

SurfacePoints surface_points(const CompiledShape& shape, double dx) {
  constexpr double kMostAlong = 32;
  const auto dimension = static_cast<std::size_t>(shape.dimension);
  double longest = 0;
  for (std::size_t a = 0; a < dimension; ++a)
    longest = std::max(longest, shape.max[a] - shape.min[a]);
  const double spacing = std::max(dx, longest / kMostAlong);
  // Half a spacing outside of the bounds, so that the first and the last planes lie before faces.
  std::array<int, 3> counts{1, 1, 1};
  Vec3 first{};
  for (std::size_t a = 0; a < dimension; ++a) {
    counts[a] = static_cast<int>(std::ceil((shape.max[a] - shape.min[a]) / spacing)) + 2;
    first[a] = 0.5 * (shape.min[a] + shape.max[a]) - 0.5 * spacing * (counts[a] - 1);
  }
  struct Start {
    Vec3 x;
    double phi;
  };
  std::vector<Start> starts;
  for (int i = 0; i < counts[0]; ++i)
    for (int j = 0; j < counts[1]; ++j)
      for (int k = 0; k < counts[2]; ++k) {
        Vec3 x = first;
        const std::array<int, 3> at{i, j, k};
        for (std::size_t a = 0; a < dimension; ++a) x[a] += spacing * at[a];
        const double phi = distance(shape, x);
        if (phi >= 0 && phi <= 1.8 * spacing) starts.push_back({x, phi});
      }
  // Of those that come to lie together the one from farthest away is that of an edge or corner.
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Start& a, const Start& b) { return a.phi > b.phi; });
  SurfacePoints result{spacing, {}};
  std::set<std::array<std::int64_t, 3>> taken;  // by the half of a spacing
  for (const Start& start : starts) {
    const std::optional<Vec3> found = projected(shape, start.x, spacing);
    if (!found) continue;
    std::array<std::int64_t, 3> cell{};
    for (std::size_t a = 0; a < dimension; ++a)
      cell[a] = static_cast<std::int64_t>(std::floor(2 * ((*found)[a] - first[a]) / spacing));
    if (taken.insert(cell).second) result.points.push_back(*found);
  }
  return result;
}

}  // namespace firn
