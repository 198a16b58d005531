#include "src/run/collider_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/scene/height_band.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/shapes.h"
#include "src/scene/thing_names.h"

namespace firn {
namespace {

// Of ground too large for distances near its surface, which is held by its steepest slope anywhere:
// what has come into the wall of a cliff is not pushed out of it. 0: no such place.
double steepest_bound(const Shape& shape, const Scene& scene, double scale = 1) {
  double steepest = 0;
  if (shape.type == ShapeType::kHeightField) {
    const double voxel = 0.5 * scene.grid.dx / scale;
    const HeightGrid grid = bake_heights(shape, scene.simulation.dimension, voxel);
    if (is_too_large_for_band(grid, voxel)) steepest = grid.steepest();
  }
  if (shape.type == ShapeType::kTransform) scale *= shape.scale;
  for (const Shape& child : shape.children)
    steepest = std::max(steepest, steepest_bound(child, scene, scale));
  return steepest;
}

// Of formulas alone: distances to meshes take time.
bool is_analytic(const Shape& shape) {
  constexpr ShapeType kOthers[] = {ShapeType::kMesh, ShapeType::kMeshSequence, ShapeType::kVdb,
                                   ShapeType::kText, ShapeType::kHeightField};
  return std::find(std::begin(kOthers), std::end(kOthers), shape.type) == std::end(kOthers) &&
         std::all_of(shape.children.begin(), shape.children.end(), is_analytic);
}

// How far a shape reaches from a point of it, in steps of a twentieth of `most`, as far as that.
// Parts of a union that touch are one.
constexpr int kReachSteps = 20;
int reach(const CompiledShape& shape, const Vec3& at, const Vec3& n, double most) {
  constexpr double kSame = 1e-3;  // of `most`
  int steps = 0;
  for (; steps < kReachSteps; ++steps) {
    const double t = (steps + 1) * most / kReachSteps;
    if (!(distance(shape, {at[0] + t * n[0], at[1] + t * n[1], at[2] + t * n[2]}) < kSame * most))
      break;
  }
  return steps;
}

// The shortest way through it at a point, in such steps: along axes and diagonals.
int shortest_chord(const CompiledShape& shape, const Vec3& at, double most) {
  int shortest = kReachSteps;
  const int deep = shape.dimension == 3 ? 1 : 0;
  for (int x = 0; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -deep; z <= deep; ++z) {
        const double length = std::sqrt(x * x + y * y + z * z);
        if (!(length > 0)) continue;
        const Vec3 n{x / length, y / length, z / length};
        shortest = std::min(shortest, reach(shape, at, n, most) +
                                          reach(shape, at, {-n[0], -n[1], -n[2]}, most) + 1);
      }
  return shortest;
}

// How thick a shape is where it is thickest, however it lies, m, as far as `most`: half-way through
// it from points of its surface, which are found from those of a lattice.
double thickest_part(const CompiledShape& shape, double most) {
  constexpr int kAcross2d = 32, kAcross3d = 8;
  constexpr double kBelow = 0.02;  // of `most`
  const int d = shape.dimension, across = d == 2 ? kAcross2d : kAcross3d;
  double thickest = 0;
  for (int i = 0; i < (d == 2 ? across * across : across * across * across); ++i) {
    Vec3 x{}, inwards{};
    const auto move = [&](double way) {
      for (std::size_t c = 0; c < 3; ++c) x[c] += way * inwards[c];
    };
    for (int a = 0, rest = i; a < d; ++a, rest /= across) {
      const auto c = static_cast<std::size_t>(a);
      x[c] = shape.min[c] + (shape.max[c] - shape.min[c]) * (rest % across + 0.5) / across;
    }
    for (const double below : {0.0, kBelow * most}) {
      const Vec3 n = normal(shape, x, 1e-3 * most);
      inwards = {-n[0], -n[1], -n[2]};
      move(distance(shape, x) + below);
    }
    const int through = reach(shape, x, inwards, most) + 1;
    move(0.5 * through * most / kReachSteps);
    const int steps = std::min(through, shortest_chord(shape, x, most));
    if (steps >= kReachSteps) return most;
    thickest = std::max(thickest, most * steps / kReachSteps);
  }
  return thickest;
}

}  // namespace

std::vector<std::string> collider_warnings(const Scene& scene) {
  const int d = scene.simulation.dimension;
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const Collider& collider = scene.colliders[i];
    const std::string name = name_or_number(collider.name, i);
    const CompiledShape shape = outline_shape(collider.shape, d, scene.grid.dx);
    const double slope = steepest_bound(collider.shape, scene);
    if (slope > 0 && !traits_of(scene).staggered)
      warnings.push_back(fmt::format(
          "collider \"{}\": its height_field has slopes of up to {:.3g}, and is too large to hold "
          "material where they are above {:g}; use a larger grid.dx, or several smaller ones",
          name, slope, kSteepSlope));
    if (collider.friction > 0 && collider.boundary != BoundaryType::kSeparate)
      warnings.push_back(fmt::format(
          "collider \"{}\": its friction has no effect, as boundary = {}; a \"separate\" one "
          "rubs where material presses on it",
          name,
          collider.boundary == BoundaryType::kSlip ? "\"slip\" lets material slide freely"
                                                   : "\"sticky\" holds it"));
    if (!shape.bounded()) continue;
    const bool sided = collider.boundary != BoundaryType::kSticky && !traits_of(scene).staggered;
    const double least = sided || collider.temperature ? 2 : 1;
    double thinnest = least * scene.grid.dx;
    for (int a = 0; a < d; ++a) thinnest = std::min(thinnest, shape.max[a] - shape.min[a]);
    if (is_analytic(collider.shape))
      thinnest = thickest_part(compile_shape(collider.shape, d, scene.grid.dx), thinnest);
    const double cells = thinnest / scene.grid.dx;
    if (cells < least - 1e-6)  // rounding
      warnings.push_back(fmt::format(
          "collider \"{}\" is {:.2g} cells thin: material may pass through it{}; {} and more hold "
          "it",
          name, cells,
          collider.temperature ? ", and warms only where it holds a cell's centre" : "",
          least > 1 ? "2 cells" : "1 cell"));
  }
  return warnings;
}

std::vector<std::string> wall_warnings(const Scene& scene) {
  if (!scene.grid.domain) return {};
  const Domain& domain = *scene.grid.domain;
  bool asks = false, rubs = false;
  for (std::size_t face = 0; face < 2 * static_cast<std::size_t>(scene.simulation.dimension);
       ++face) {
    asks = asks || domain.friction[face] > 0;
    rubs = rubs || (domain.friction[face] > 0 && domain.boundary[face] == BoundaryType::kSeparate);
  }
  if (!asks || rubs) return {};
  return {
      "grid.domain: its friction has no effect, as no face that has some is \"separate\"; such a "
      "face rubs where material presses on it"};
}

}  // namespace firn
