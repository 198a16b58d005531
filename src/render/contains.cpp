// Point membership of shapes, for filling them in flat pictures.
#include <algorithm>
#include <cmath>

#include "src/render/mesh.h"

namespace firn {
namespace {

// A flat picture is the slice through the shapes' middle: z is forgotten.
V3d relative(const V3d& x, const Vec3& origin, int dimension) {
  V3d d = x - to_vec(origin);
  if (dimension == 2) d[2] = 0;
  return d;
}

bool in_box(const Shape& shape, const V3d& x, int dimension) {
  double outside2 = 0, deepest = -1e300;
  for (int c = 0; c < dimension; ++c) {
    const double half = 0.5 * (shape.max[c] - shape.min[c]);
    const double distance = std::abs(x[c] - shape.min[c] - half) - half + shape.rounding;
    outside2 += std::max(distance, 0.0) * std::max(distance, 0.0);
    deepest = std::max(deepest, distance);
  }
  return deepest <= shape.rounding && outside2 <= shape.rounding * shape.rounding + 1e-300;
}

bool in_axial(const Shape& shape, const V3d& x, int dimension) {
  const V3d axis = relative(to_vec(shape.to), shape.from, dimension);
  const V3d d = relative(x, shape.from, dimension);
  const double length2 = norm_squared(axis);
  if (length2 == 0) return norm_squared(d) <= shape.radius * shape.radius;
  double t = dot(d, axis) / length2;
  if (shape.type == ShapeType::kCapsule) t = std::clamp(t, 0.0, 1.0);
  if (t < 0 || t > 1) return false;
  const double radius = shape.type == ShapeType::kCone ? shape.radius * (1 - t) : shape.radius;
  return norm_squared(d - axis * t) <= radius * radius;
}

bool in_torus(const Shape& shape, const V3d& x, int dimension) {
  const V3d d = relative(x, shape.center, dimension);
  const V3d axis = normalized(to_vec(shape.axis));
  const double height = dot(d, axis);
  const double ring = norm(d - axis * height) - shape.radius;
  return ring * ring + height * height <= shape.tube_radius * shape.tube_radius;
}

bool in_ellipsoid(const Shape& shape, const V3d& x, int dimension) {
  double sum = 0;
  for (int c = 0; c < dimension; ++c) {
    const double q = (x[c] - shape.center[c]) / shape.radii[c];
    sum += q * q;
  }
  return sum <= 1;
}

}  // namespace

bool contains(const Shape& shape, const V3d& x, int dimension) {
  const auto child_contains = [&](const Shape& child) { return contains(child, x, dimension); };
  const std::vector<Shape>& children = shape.children;
  switch (shape.type) {
    case ShapeType::kSphere:
      return norm_squared(relative(x, shape.center, dimension)) <= shape.radius * shape.radius;
    case ShapeType::kBox:
      return in_box(shape, x, dimension);
    case ShapeType::kHalfSpace:
      return dot(relative(x, shape.point, dimension), to_vec(shape.normal)) <= 0;
    case ShapeType::kCylinder:
    case ShapeType::kCapsule:
    case ShapeType::kCone:
      return in_axial(shape, x, dimension);
    case ShapeType::kTorus:
      return in_torus(shape, x, dimension);
    case ShapeType::kEllipsoid:
      return in_ellipsoid(shape, x, dimension);
    case ShapeType::kUnion:
      return std::any_of(children.begin(), children.end(), child_contains);
    case ShapeType::kIntersection:
      return std::all_of(children.begin(), children.end(), child_contains);
    case ShapeType::kDifference:
      return !children.empty() && child_contains(children[0]) &&
             std::none_of(children.begin() + 1, children.end(), child_contains);
    case ShapeType::kTransform: {
      const V3d inner = placement_of(shape).inverse().point(x);
      return std::any_of(children.begin(), children.end(),
                         [&](const Shape& child) { return contains(child, inner, dimension); });
    }
    case ShapeType::kMesh:
      return false;
  }
  return false;
}

}  // namespace firn
