#include "src/state/source_warnings.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/scene/integrator_traits.h"
#include "src/state/coarse_shape.h"

namespace firn {
namespace {

constexpr double kReach = 1.499;  // cells
constexpr double kAway = 0.2;     // cosine from which on a velocity leads away from a wall

bool holds(BoundaryType type) {
  return type == BoundaryType::kSticky || type == BoundaryType::kSlip;
}

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

std::string warning_of(const std::string& source, const std::string& wall) {
  return fmt::format(
      "source \"{}\": {} holds what touches it and lies less than 1.5 cells behind, so that much "
      "less "
      "comes out than shape and velocity say; leave it more room, or have it let go (\"separate\")",
      source, wall);
}

// Points of a lattice that lie in a bounded shape, so many across.
std::vector<Vec3> points_within(const CompiledShape& shape, int dimension, int across) {
  std::vector<Vec3> points;
  for (int k = 0; k < (dimension == 3 ? across : 1); ++k)
    for (int j = 0; j < across; ++j)
      for (int i = 0; i < across; ++i) {
        const int at[] = {i, j, k};
        Vec3 x{};
        for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a)
          x[a] = shape.min[a] + at[a] / (across - 1.0) * (shape.max[a] - shape.min[a]);
        if (distance(shape, x) <= 1e-9 * (shape.max[0] - shape.min[0])) points.push_back(x);
      }
  return points;
}

}  // namespace

std::vector<std::string> source_warnings(const Scene& scene) {
  constexpr int kAcross = 12;
  constexpr const char* kFaces[] = {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"};
  if (traits_of(scene).staggered) return {};
  const int d = scene.simulation.dimension;
  const double reach = kReach * scene.grid.dx;
  std::vector<std::optional<CoarseShape>> walls(scene.colliders.size());  // once they are asked
  std::vector<std::string> warnings;
  for (std::size_t s = 0; s < scene.sources.size(); ++s) {
    const Source& source = scene.sources[s];
    const double speed = std::sqrt(dot(source.velocity, source.velocity));
    if (source.motion || speed == 0) continue;
    const std::string name = name_or_number(source.name, s);
    const CompiledShape shape = CoarseShape(source.shape, d, scene.grid.dx).compiled;
    if (!shape.bounded()) continue;
    for (std::size_t f = 0; scene.grid.domain && f < 2 * static_cast<std::size_t>(d); ++f) {
      const Domain& domain = *scene.grid.domain;
      const std::size_t a = f / 2;
      const double inwards = f % 2 == 0 ? 1 : -1;
      const double gap = f % 2 == 0 ? shape.min[a] - domain.min[a] : domain.max[a] - shape.max[a];
      if (holds(domain.boundary[f]) && gap < reach && inwards * source.velocity[a] > kAway * speed)
        warnings.push_back(warning_of(name, fmt::format("the domain's wall {}", kFaces[f])));
    }
    const std::vector<Vec3> points = points_within(shape, d, kAcross);
    for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
      const Collider& collider = scene.colliders[c];
      if (!holds(collider.boundary) || collider.motion || collider.dynamics) continue;
      if (!walls[c]) walls[c].emplace(collider.shape, d, scene.grid.dx);
      const CompiledShape& wall = walls[c]->compiled;
      for (const Vec3& x : points) {
        const double gap = distance(wall, x);
        if (gap < -scene.grid.dx || gap > reach) continue;
        if (dot(normal(wall, x, 0.1 * scene.grid.dx), source.velocity) <= kAway * speed) continue;
        warnings.push_back(
            warning_of(name, fmt::format("collider \"{}\"", name_or_number(collider.name, c))));
        break;
      }
    }
  }
  return warnings;
}

}  // namespace firn
