#include "src/state/overlap_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "src/scene/shapes.h"

namespace firn {
namespace {

// A shape in so few cells that its distances cost little, and what they may be wrong by.
struct CoarseShape {
  CoarseShape(const Shape& shape, int dimension, double dx)
      : spacing(coarse_spacing(outline_shape(shape, dimension, dx), dx, kCells)),
        compiled(compile_shape(shape, dimension, spacing)) {}
  static constexpr double kCells = 32;
  double spacing;
  CompiledShape compiled;
};

bool boxes_meet(const CompiledShape& a, const CompiledShape& b, int dimension) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(dimension); ++i)
    if (a.min[i] > b.max[i] || b.min[i] > a.max[i]) return false;
  return true;
}

// The share of a body that is deeper in a collider than a cell, by a lattice of so many points
// across.
double share_within(const CoarseShape& body, const CoarseShape& collider, int dimension, double dx,
                    int across) {
  const double depth = std::max(dx, collider.spacing);
  const CompiledShape& b = body.compiled;
  int inside = 0, within = 0;
  for (int k = 0; k < (dimension == 3 ? across : 1); ++k)
    for (int j = 0; j < across; ++j)
      for (int i = 0; i < across; ++i) {
        const int at[] = {i, j, k};
        Vec3 x{};
        for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a)
          x[a] = b.min[a] + (at[a] + 0.5) / across * (b.max[a] - b.min[a]);
        if (distance(b, x) >= 0) continue;
        ++inside;
        if (distance(collider.compiled, x) < -depth) ++within;
      }
  return inside > 0 ? static_cast<double>(within) / inside : 0;
}

// Key frames may put it elsewhere when the run begins, and a clamp holds what is in it.
bool pushes_out(const Collider& collider) {
  return !collider.motion && collider.boundary != BoundaryType::kSticky;
}

std::string name_of(const std::string& name, std::size_t index) {
  return name.empty() ? std::to_string(index) : name;
}

}  // namespace

std::vector<std::string> overlap_warnings(const Scene& scene) {
  constexpr double kWorthTelling = 0.01;
  const int d = scene.simulation.dimension;
  const auto pushing = std::count_if(scene.colliders.begin(), scene.colliders.end(), pushes_out);
  if (pushing == 0) return {};
  // Thousands of bodies must not keep `firn info` waiting.
  constexpr double kMostPoints = 1e6;
  const double pairs = static_cast<double>(pushing) * static_cast<double>(scene.bodies.size());
  const int across =
      static_cast<int>(std::clamp(std::pow(kMostPoints / pairs, 1.0 / d), 5.0, 20.0));
  std::vector<CoarseShape> bodies;
  for (const Body& body : scene.bodies) bodies.emplace_back(body.shape, d, scene.grid.dx);
  std::vector<std::string> warnings;
  for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
    const Collider& collider = scene.colliders[c];
    if (!pushes_out(collider)) continue;
    const CoarseShape shape(collider.shape, d, scene.grid.dx);
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      const CompiledShape& body = bodies[b].compiled;
      if (!body.bounded() || !boxes_meet(body, shape.compiled, d)) continue;
      const double share = share_within(bodies[b], shape, d, scene.grid.dx, across);
      if (share < kWorthTelling) continue;
      warnings.push_back(fmt::format(
          "body \"{}\": {:.0f} % of it lies more than a cell deep in collider \"{}\", whose "
          "surface takes it in at the first step; cut the collider's shape out of the body's "
          "(type = \"difference\")",
          name_of(scene.bodies[b].name, b), 100 * share, name_of(collider.name, c)));
    }
  }
  return warnings;
}

}  // namespace firn
