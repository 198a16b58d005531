#include "src/state/overlap_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/scene/motion_keys.h"
#include "src/scene/surface_points.h"
#include "src/scene/thing_names.h"
#include "src/state/coarse_shape.h"

namespace firn {
namespace {

struct Box {
  Vec3 min, max;
};
Box bounds_of(const CompiledShape& shape) { return {shape.min, shape.max}; }
bool boxes_meet(const Box& a, const Box& b, int dimension) {
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
// across. `place` takes a point to where it lies in the other's own coordinates.
template <class Place>
double share_within(const CoarseShape& body, const CoarseShape& other, int dimension, double dx,
                    int across, Place&& place) {
  const double depth = std::max(dx, other.error());
  const CompiledShape& b = body.compiled;
  int inside = 0, within = 0;
  for_each_point(b, dimension, across, [&](const Vec3& x) {
    if (distance(b, x) >= 0) return;
    ++inside;
    if (distance(other.compiled, place(x)) < -depth) ++within;
  });
  return inside > 0 ? static_cast<double>(within) / inside : 0;
}
double share_within(const CoarseShape& body, const CoarseShape& other, int dimension, double dx,
                    int across) {
  return share_within(body, other, dimension, dx, across, [](const Vec3& x) { return x; });
}

// A collider where it is when a run begins.
class Placed {
 public:
  Placed(const Collider& collider, int dimension, double dx)
      : shape_(collider.shape, dimension, dx) {
    const std::vector<double> keys = packed_keys(collider.motion);
    pose_ = pose_at<double>(view_of(collider.motion, keys.data()), 0);
  }
  const CoarseShape& shape() const { return shape_; }
  // Where a point of the world is in the coordinates of the shape.
  Vec3 local(const Vec3& x) const {
    Vec<double, 3> from_pivot;
    for (int a = 0; a < 3; ++a)
      from_pivot[a] = x[static_cast<std::size_t>(a)] - pose_.translation[a] - pose_.pivot[a];
    const Vec<double, 3> at = transpose(pose_.rotation) * from_pivot + pose_.pivot;
    return {at[0], at[1], at[2]};
  }
  bool may_meet(const CompiledShape& other, int dimension) const {
    Box box;  // of the other, as it lies here
    box.min.fill(std::numeric_limits<double>::infinity());
    box.max.fill(-std::numeric_limits<double>::infinity());
    for (int corner = 0; corner < 1 << dimension; ++corner) {
      Vec3 x{};
      for (std::size_t a = 0; a < static_cast<std::size_t>(dimension); ++a)
        x[a] = (corner >> a & 1) != 0 ? other.max[a] : other.min[a];
      const Vec3 at = local(x);
      for (std::size_t a = 0; a < 3; ++a)
        box.min[a] = std::min(box.min[a], at[a]), box.max[a] = std::max(box.max[a], at[a]);
    }
    return boxes_meet(box, bounds_of(shape_.compiled), dimension);
  }

 private:
  CoarseShape shape_;
  RigidPose<double> pose_;
};

// How deep the deepest of these points lies in a collider, m.
double depth_of(const std::vector<Vec3>& points, const Placed& in) {
  double deepest = 0;
  for (const Vec3& x : points)
    deepest = std::max(deepest, -distance(in.shape().compiled, in.local(x)));
  return deepest;
}
double depth_in_wall(const std::vector<Vec3>& points, const Domain& domain, std::size_t face) {
  double deepest = 0;
  for (const Vec3& x : points)
    deepest = std::max(deepest, face % 2 == 0 ? domain.min[face / 2] - x[face / 2]
                                              : x[face / 2] - domain.max[face / 2]);
  return deepest;
}

// What fills a shape, and what a collider does with the part that lies in it.
struct Filled {
  std::string name;
  CoarseShape shape;
  bool flows;  // from a source
};

// A clamp holds what is in it.
bool meets(const Collider& collider, bool flows) {
  return flows || collider.boundary != BoundaryType::kSticky;
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
    std::optional<Placed> placed;
    for (const Filled& part : filled) {
      if (!meets(collider, part.flows) || !part.shape.compiled.bounded()) continue;
      if (!placed) placed.emplace(collider, d, scene.grid.dx);
      if (!placed->may_meet(part.shape.compiled, d)) continue;
      const double share = share_within(part.shape, placed->shape(), d, scene.grid.dx, across,
                                        [&](const Vec3& x) { return placed->local(x); });
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

std::vector<std::string> solid_overlap_warnings(const Scene& scene) {
  constexpr std::size_t kMost = 5;
  const int d = scene.simulation.dimension;
  const double deep = 0.1 * scene.grid.dx;  // less is put right within a few steps
  const auto meets_solids = [](const Collider& c) { return !c.dynamics || c.dynamics->collides; };
  const auto named = [&](std::size_t c) {
    return "collider \"" + name_or_number(scene.colliders[c].name, c) + "\"";
  };
  std::vector<std::string> warnings;
  std::size_t more = 0;
  const auto tell = [&](std::size_t c, double depth, const std::string& where) {
    if (depth > deep && warnings.size() == kMost)
      ++more;
    else if (depth > deep)
      warnings.push_back(fmt::format(
          "{} begins {:.3g} m deep in {}, from where it is pushed out, and gains speed; move it, "
          "or set collides = false",
          named(c), depth, where));
  };
  std::vector<std::vector<Vec3>> points(scene.colliders.size());
  std::vector<std::optional<Placed>> placed(scene.colliders.size());
  const auto place = [&](std::size_t c) -> const Placed& {
    if (!placed[c]) placed[c].emplace(scene.colliders[c], d, scene.grid.dx);
    return *placed[c];
  };
  for (std::size_t c = 0; c < scene.colliders.size(); ++c)
    if (scene.colliders[c].dynamics && scene.colliders[c].dynamics->collides)
      if (const CompiledShape shape = compile_shape(scene.colliders[c].shape, d, scene.grid.dx);
          shape.bounded())  // or it has no mass, which is told of elsewhere
        points[c] = surface_points(shape, scene.grid.dx).points;
  for (std::size_t c = 0; c < scene.colliders.size(); ++c) {
    if (points[c].empty()) continue;
    for (std::size_t other = 0; other < scene.colliders.size(); ++other) {
      const bool both = !points[other].empty();
      if (other == c || (both && other < c) || !meets_solids(scene.colliders[other])) continue;
      if (!place(other).may_meet(place(c).shape().compiled, d)) continue;
      const double depth = std::max(depth_of(points[c], place(other)),
                                    both ? depth_of(points[other], place(c)) : 0.0);
      tell(c, depth, named(other));
    }
    if (!scene.grid.domain) continue;
    constexpr const char* kFaces[] = {"-x", "+x", "-y", "+y", "-z", "+z"};
    for (std::size_t face = 0; face < 2 * static_cast<std::size_t>(d); ++face) {
      const BoundaryType type = scene.grid.domain->boundary[face];
      if (type != BoundaryType::kOpen && type != BoundaryType::kPeriodic)
        tell(c, depth_in_wall(points[c], *scene.grid.domain, face),
             fmt::format("the {} wall of the domain", kFaces[face]));
    }
  }
  if (more > 0) warnings.push_back(fmt::format("{} more solids begin in others or in walls", more));
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
          boxes_meet(bounds_of(shapes[*a].compiled), bounds_of(shapes[*b].compiled), d))
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
