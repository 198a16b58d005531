#include "src/state/overlap_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/state/coarse_shape.h"

namespace firn {
namespace {

bool boxes_meet(const CompiledShape& a, const CompiledShape& b, int dimension) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(dimension); ++i)
    if (a.min[i] > b.max[i] || b.min[i] > a.max[i]) return false;
  return true;
}

constexpr double kWorthTelling = 0.01;
// Thousands of bodies must not keep `firn info` waiting.
int points_across(double pairs, int dimension) {
  constexpr double kMostPoints = 1e6;
  return static_cast<int>(std::clamp(std::pow(kMostPoints / pairs, 1.0 / dimension), 5.0, 20.0));
}

// The share of a body that is deeper in another shape than a cell, by a lattice of so many points
// across.
double share_within(const CoarseShape& body, const CoarseShape& other, int dimension, double dx,
                    int across) {
  const double depth = std::max(dx, other.error());
  const CompiledShape& b = body.compiled;
  int inside = 0, within = 0;
  for_each_point(b, dimension, across, [&](const Vec3& x) {
    if (distance(b, x) >= 0) return;
    ++inside;
    if (distance(other.compiled, x) < -depth) ++within;
  });
  return inside > 0 ? static_cast<double>(within) / inside : 0;
}

// A clamp holds what is in it.
bool pushes_out(const Collider& collider) {
  return collider.boundary != BoundaryType::kSticky && begins_in_place(collider);
}

// What fills a shape, and what a collider does with the part that lies in it.
struct Filled {
  std::string name;
  CoarseShape shape;
  bool flows;  // from a source
};

bool meets(const Collider& collider, bool flows) {
  return flows ? begins_in_place(collider) : pushes_out(collider);
}

std::vector<Filled> filled_shapes(const Scene& scene) {
  const int d = scene.simulation.dimension;
  std::vector<Filled> shapes;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b)
    shapes.push_back({"body \"" + name_or_number(scene.bodies[b].name, b) + "\"",
                      {scene.bodies[b].shape, d, scene.grid.dx},
                      false});
  for (std::size_t s = 0; s < scene.sources.size(); ++s)
    if (!scene.sources[s].motion)
      shapes.push_back({"source \"" + name_or_number(scene.sources[s].name, s) + "\"",
                        {scene.sources[s].shape, d, scene.grid.dx},
                        true});
  return shapes;
}

}  // namespace

bool begins_in_place(const Collider& collider) {
  if (!collider.motion) return true;
  const Keyframes& keys = *collider.motion;
  const auto is_first_zero = [](const std::vector<Vec3>& values) {
    return values.empty() || values.front() == Vec3{};
  };
  return keys.times.front() >= 0 && is_first_zero(keys.translation) && is_first_zero(keys.rotation);
}

std::vector<std::string> overlap_warnings(const Scene& scene) {
  const int d = scene.simulation.dimension;
  const auto meeting =
      std::count_if(scene.colliders.begin(), scene.colliders.end(), [&](const Collider& c) {
        return meets(c, false) || (!scene.sources.empty() && meets(c, true));
      });
  if (meeting == 0) return {};
  const std::vector<Filled> filled = filled_shapes(scene);
  const int across =
      points_across(static_cast<double>(meeting) * static_cast<double>(filled.size()), d);
  std::vector<std::string> warnings;
  for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
    const Collider& collider = scene.colliders[c];
    std::optional<CoarseShape> shape;
    for (const Filled& part : filled) {
      if (!meets(collider, part.flows) || !part.shape.compiled.bounded()) continue;
      if (!shape) shape.emplace(collider.shape, d, scene.grid.dx);
      if (!boxes_meet(part.shape.compiled, shape->compiled, d)) continue;
      const double share = share_within(part.shape, *shape, d, scene.grid.dx, across);
      if (share < kWorthTelling) continue;
      warnings.push_back(fmt::format(
          "{}: {:.0f} % of it lies more than a cell deep in collider \"{}\", {}; cut the "
          "collider's shape out of it (type = \"difference\")",
          part.name, 100 * share, name_or_number(collider.name, c),
          part.flows ? "where what it brings has no room"
                     : "whose surface takes it in at the first step"));
    }
  }
  return warnings;
}

std::vector<std::string> shared_space_warnings(const Scene& scene) {
  constexpr std::size_t kMost = 5;
  const int d = scene.simulation.dimension;
  std::vector<CoarseShape> shapes;
  shapes.reserve(scene.bodies.size());
  for (const Body& body : scene.bodies) shapes.emplace_back(body.shape, d, scene.grid.dx);
  std::vector<std::size_t> order(shapes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return shapes[a].compiled.min[0] < shapes[b].compiled.min[0];
  });
  std::vector<std::pair<std::size_t, std::size_t>> meeting;
  for (auto a = order.begin(); a != order.end(); ++a)
    for (auto b = a + 1; b != order.end(); ++b) {
      if (shapes[*b].compiled.min[0] > shapes[*a].compiled.max[0]) break;
      if (shapes[*a].compiled.bounded() && shapes[*b].compiled.bounded() &&
          boxes_meet(shapes[*a].compiled, shapes[*b].compiled, d))
        meeting.push_back(std::minmax(*a, *b));
    }
  std::sort(meeting.begin(), meeting.end());
  const int across = points_across(2 * static_cast<double>(meeting.size()), d);
  const auto named = [&](std::size_t b) { return name_or_number(scene.bodies[b].name, b); };
  std::vector<std::string> warnings;
  std::size_t more = 0;
  for (auto [part, whole] : meeting) {
    double share = share_within(shapes[part], shapes[whole], d, scene.grid.dx, across);
    const double other = share_within(shapes[whole], shapes[part], d, scene.grid.dx, across);
    if (other > share) std::swap(part, whole), share = other;
    if (share < kWorthTelling) continue;
    if (warnings.size() == kMost)
      ++more;
    else
      warnings.push_back(fmt::format(
          "{:.0f} % of body \"{}\" lies more than a cell deep in body \"{}\": both fill that "
          "space, "
          "with the mass of both; cut the shape of one out of the other (type = \"difference\")",
          100 * share, named(part), named(whole)));
  }
  if (more > 0) warnings.push_back(fmt::format("{} more pairs of bodies lie in each other", more));
  return warnings;
}

}  // namespace firn
