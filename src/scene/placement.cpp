#include "src/scene/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <random>

#include "firn/error.h"
#include "kernels/collide/rigid_motion.h"
#include "src/scene/boundary_types.h"
#include "src/scene/motion_keys.h"
#include "src/scene/shapes.h"

namespace firn {
namespace {

using Vector = Vec<double, 3>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec3 along(const Vec3& from, double t, const Vec3& direction) {
  return {from[0] + t * direction[0], from[1] + t * direction[1], from[2] + t * direction[2]};
}
Vec3 middle_of(const CompiledShape& shape) {
  Vec3 middle{};
  for (int i = 0; i < shape.dimension; ++i) middle[i] = 0.5 * (shape.min[i] + shape.max[i]);
  return middle;
}
double half_diagonal(const CompiledShape& shape) {
  double squared = 0;
  for (int i = 0; i < shape.dimension; ++i)
    squared += 0.25 * (shape.max[i] - shape.min[i]) * (shape.max[i] - shape.min[i]);
  return std::sqrt(squared);
}

CompiledShape bounded(CompiledShape shape) {
  require_bounded(shape, "what is placed");
  return shape;
}
// Findings have the place of the key that moves the shape, and need no second one.
Shape without_place(Shape shape) {
  shape.place = {};
  return shape;
}
// What takes bounds alone does without the distances of meshes.
CompiledShape outline_of(const Shape& shape, const Scene& scene) {
  return bounded(outline_shape(without_place(shape), scene.simulation.dimension, scene.grid.dx));
}

Shape moved(const Shape& shape, const Vec3& by, const Vec3& rotation = {}, double scale = 1) {
  Shape result;
  result.type = ShapeType::kTransform;
  result.translation = by;
  result.rotation = rotation;
  result.scale = scale;
  result.children = {shape};
  result.place = shape.place;
  return result;
}

// Of any library the same numbers for a seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}
  double operator()(double low = 0, double high = 1) {
    return low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53;
  }

 private:
  std::mt19937_64 bits_;
};

// Euler angles, x then y then z, of a rotation matrix.
Vec3 euler_of(const Mat<double, 3>& R) {
  const double y = std::asin(std::clamp(-R(2, 0), -1.0, 1.0));
  if (std::abs(R(2, 0)) > 1 - 1e-12) return {std::atan2(-R(1, 2), R(1, 1)), y, 0};
  return {std::atan2(R(2, 1), R(2, 2)), y, std::atan2(R(1, 0), R(0, 0))};
}

Vec3 random_turn(Random& random, Turns turns, const Scene& scene) {
  constexpr double kFull = 2 * std::numbers::pi;
  if (scene.simulation.dimension == 2)
    return {0, 0, turns == Turns::kAny ? random(0, kFull) : 0};  // the vertical lies in the plane
  if (turns == Turns::kNone) return {};
  Vec3 axis = downwards(scene);
  double angle = random(0, kFull);
  if (turns == Turns::kAny) {  // a uniform quaternion [Shoemake 1992]
    const double u = random(), a = random(0, kFull);
    const double x = std::sqrt(1 - u) * std::sin(a), y = std::sqrt(1 - u) * std::cos(a);
    const double z = std::sqrt(u) * std::sin(angle), w = std::sqrt(u) * std::cos(angle);
    const double sine = std::sqrt(std::max(1 - w * w, 1e-30));
    axis = {x / sine, y / sine, z / sine};
    angle = 2 * std::acos(std::clamp(w, -1.0, 1.0));
  }
  return euler_of(rotation_from_vector({{angle * axis[0], angle * axis[1], angle * axis[2]}}));
}

struct Sphere {
  Vec3 centre{};
  double radius = 0;
  bool meets(const Sphere& other, double gap) const {
    const Vec3 d = along(centre, -1, other.centre);
    const double reach = radius + other.radius + gap;
    return dot(d, d) < reach * reach;
  }
};

// --- the ground ---

// What things are put down on.
class Ground {
 public:
  explicit Ground(const Scene& scene) : scene_(scene), down_(downwards(scene)) {
    for (const Collider& collider : scene.colliders) solids_.push_back(at_start(collider));
  }
  const Vec3& down() const { return down_; }

  // How far `x` may fall, less than 0 if it has to rise; infinity if nothing is below.
  double depth_below(const Vec3& x) const { return std::min(to_wall(x), to_solid(x)); }

 private:
  struct Solid {
    CompiledShape shape;
    RigidPose<double> pose;
  };
  Solid at_start(const Collider& collider) const {
    const std::vector<double> keys = packed_keys(collider.motion);
    try {
      return {
          compile_shape(without_place(collider.shape), scene_.simulation.dimension, scene_.grid.dx),
          pose_at<double>(view_of(collider.motion, keys.data()), 0)};
    } catch (const Error& error) {
      throw Error(error.category(),
                  fmt::format("the ground, collider \"{}\": {}", collider.name, error.what()));
    }
  }
  double to_wall(const Vec3& x) const {
    double nearest = kInfinity;
    if (!scene_.grid.domain) return nearest;
    const Domain& domain = *scene_.grid.domain;
    for (std::size_t i = 0; i < static_cast<std::size_t>(scene_.simulation.dimension); ++i) {
      const BoundaryType wall = domain.boundary[2 * i + (down_[i] > 0 ? 1 : 0)];
      if (std::abs(down_[i]) < 1e-9 || !is_wall(wall)) continue;
      nearest = std::min(nearest, ((down_[i] > 0 ? domain.max : domain.min)[i] - x[i]) / down_[i]);
    }
    return nearest;
  }
  double distance_at(const Vec3& x) const {
    double nearest = kInfinity;
    for (const Solid& solid : solids_) {
      const Vector own = to_body(solid.pose, Vector{{x[0], x[1], x[2]}});
      nearest = std::min(nearest, distance(solid.shape, {own[0], own[1], own[2]}));
    }
    return nearest;
  }
  // By steps of half the distance, since that of some shapes is an estimate; by longer ones beside
  // what comes no nearer, or they would not end.
  double to_solid(const Vec3& x) const {
    if (solids_.empty()) return kInfinity;
    const double sign = distance_at(x) > 0 ? 1 : -1;
    const auto to_surface = [&](double t) { return sign * distance_at(along(x, sign * t, down_)); };
    double t = 0, step = 0, before = 0;
    for (int i = 0; i < kMostSteps; ++i) {
      const double d = to_surface(t);
      if (!(d < 1e9)) return kInfinity;
      if (d <= 0) return sign * crossing(t - step, t, to_surface);
      const bool nears = before - d > 0.5 * step;
      step = std::max({0.5 * d, 0.01 * scene_.grid.dx, nears ? 0 : 0.002 * t});
      before = d;
      t += step;
    }
    return kInfinity;
  }
  template <class Distance>
  double crossing(double outside, double inside, const Distance& to_surface) const {
    while (inside - outside > 1e-3 * scene_.grid.dx) {
      const double middle = 0.5 * (outside + inside);
      if (middle <= outside || middle >= inside) break;  // far from the origin
      (to_surface(middle) > 0 ? outside : inside) = middle;
    }
    return inside;
  }

  static constexpr int kMostSteps = 2000;
  const Scene& scene_;
  Vec3 down_;
  std::vector<Solid> solids_;
};

// Two directions across `down`.
std::array<Vec3, 2> across(const Vec3& down, int dimension) {
  if (dimension == 2) return {Vec3{-down[1], down[0], 0}, Vec3{}};
  const Vec3 helper = std::abs(down[0]) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
  Vec3 u = along(helper, -dot(helper, down), down);
  const double length = std::sqrt(dot(u, u));
  for (double& x : u) x /= length;
  return {u, Vec3{down[1] * u[2] - down[2] * u[1], down[2] * u[0] - down[0] * u[2],
                  down[0] * u[1] - down[1] * u[0]}};
}

// Where a ray from below first meets the shape; none if it passes by.
std::optional<Vec3> underside(const CompiledShape& shape, const Vec3& below, const Vec3& down,
                              double length, double least) {
  for (double t = 0; t < length;) {
    const Vec3 x = along(below, -t, down);
    const double d = distance(shape, x);
    if (d <= 0) return x;
    t += std::max(0.5 * d, least);
  }
  return std::nullopt;
}

// From below with `most` rays along a side at most.
Shape put_down(const Shape& shape, const Scene& scene, const Ground& ground, int most) {
  const int d = scene.simulation.dimension;
  const CompiledShape compiled = bounded(compile_shape(without_place(shape), d, scene.grid.dx));
  const std::array<Vec3, 2> axes = across(ground.down(), d);
  const double reach = half_diagonal(compiled), dx = scene.grid.dx;
  const int n = std::clamp(static_cast<int>(std::min(4 * reach / dx, 1e3)), 8, most);
  const Vec3 lowest = along(middle_of(compiled), 1.01 * reach, ground.down());
  double fall = kInfinity;
  bool met = false;
  // From the ray at (u, v) across: how far the shape may fall there.
  const auto depth_at = [&](double u, double v) {
    const Vec3 below = along(along(lowest, u, axes[0]), v, axes[1]);
    const auto bottom = underside(compiled, below, ground.down(), 2.02 * reach, 0.01 * dx);
    met = met || bottom;
    return bottom ? ground.depth_below(*bottom) : kInfinity;
  };
  double best_u = 0, best_v = 0;
  const auto search = [&](double u, double v, double spacing, int rays) {
    const double begin = -0.5 * (rays - 1) * spacing;
    for (int i = 0; i < rays; ++i)
      for (int j = 0; j < (d == 3 ? rays : 1); ++j) {
        const double at_u = u + begin + i * spacing, at_v = d == 3 ? v + begin + j * spacing : 0;
        const double depth = depth_at(at_u, at_v);
        if (depth < fall) fall = depth, best_u = at_u, best_v = at_v;
      }
  };
  double spacing = 2 * reach / n;
  search(0, 0, spacing, n);
  for (int level = 0; level < 4; ++level) {  // what touches first lies between two rays
    spacing /= 4;
    search(best_u, best_v, spacing, 7);
  }
  if (!met) throw Error(ErrorCategory::kScene, "the shape is too thin to be put on the ground");
  if (!std::isfinite(fall))
    throw Error(ErrorCategory::kScene,
                "there is no ground below: neither a collider (for a collider: one that stands "
                "before it in the scene) nor a wall of the domain");
  Vec3 by{};
  for (int i = 0; i < d; ++i) by[i] = fall * ground.down()[i];
  return moved(shape, by);
}

}  // namespace

Vec3 downwards(const Scene& scene) {
  const Vec3& g = scene.simulation.gravity;
  const double strength = std::sqrt(dot(g, g));
  if (!(strength > 0)) return {0, -1, 0};
  return {g[0] / strength, g[1] / strength, g[2] / strength};
}

std::vector<Shape> copies_of(const Shape& shape, const LatticeOfCopies& lattice) {
  std::vector<Shape> copies;
  for (int i = 0; i < lattice.count[0]; ++i)
    for (int j = 0; j < lattice.count[1]; ++j)
      for (int k = 0; k < lattice.count[2]; ++k)
        copies.push_back(
            moved(shape, {i * lattice.step[0], j * lattice.step[1], k * lattice.step[2]}));
  return copies;
}

std::vector<Shape> copies_of(const Shape& shape, const ScatteredCopies& scattered,
                             const Scene& scene) {
  constexpr int kMostTries = 100'000;
  const CompiledShape outline = outline_of(shape, scene);
  const Vec3 middle = middle_of(outline);
  const double reach = half_diagonal(outline);
  Random random(scattered.seed);
  std::vector<Sphere> taken;
  std::vector<Shape> copies;
  for (int tries = 0; static_cast<int>(copies.size()) < scattered.count; ++tries) {
    if (tries == kMostTries)
      throw Error(ErrorCategory::kScene,
                  fmt::format("only {} of {} copies have found a place without meeting others; "
                              "scatter them over a larger box, fewer or smaller ones",
                              copies.size(), scattered.count));
    Sphere sphere;
    for (int i = 0; i < outline.dimension; ++i)
      sphere.centre[i] = random(scattered.min[i], scattered.max[i]);
    const double scale = random(scattered.smallest, scattered.largest);
    const Vec3 turn = random_turn(random, scattered.turns, scene);
    sphere.radius = scale * reach;
    if (std::any_of(taken.begin(), taken.end(),
                    [&](const Sphere& other) { return sphere.meets(other, scattered.gap); }))
      continue;
    const auto turned = rotation_from_euler(Vec<double, 3>{{turn[0], turn[1], turn[2]}}) *
                        (scale * Vec<double, 3>{{middle[0], middle[1], middle[2]}});
    copies.push_back(
        moved(shape, along(sphere.centre, -1, {turned[0], turned[1], turned[2]}), turn, scale));
    taken.push_back(sphere);
  }
  return copies;
}

std::vector<Shape> centered(const std::vector<Shape>& shapes, const Vec3& center,
                            const Scene& scene) {
  std::vector<Shape> result;
  if (shapes.empty()) return result;
  CompiledShape all = outline_of(shapes[0], scene);
  for (const Shape& shape : shapes) {
    const CompiledShape outline = outline_of(shape, scene);
    for (std::size_t i = 0; i < 3; ++i) {
      all.min[i] = std::min(all.min[i], outline.min[i]);
      all.max[i] = std::max(all.max[i], outline.max[i]);
    }
  }
  const Vec3 by = along(center, -1, middle_of(all));
  for (const Shape& shape : shapes) result.push_back(moved(shape, by));
  return result;
}

std::vector<Shape> put_down(const std::vector<Shape>& shapes, const Scene& scene) {
  constexpr double kMostRays = 1e6;  // for all of them, which bounds the time
  const auto most = static_cast<int>(std::sqrt(kMostRays / static_cast<double>(shapes.size())));
  const Ground ground(scene);
  std::vector<Shape> result;
  result.reserve(shapes.size());
  for (const Shape& shape : shapes)
    result.push_back(put_down(shape, scene, ground, std::clamp(most, 8, 256)));
  return result;
}

}  // namespace firn
