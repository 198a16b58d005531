// Depth-first hierarchy over triangles with sums of their dipoles and first moments; leaves use the
// exact solid angle of each triangle.
#include "src/scene/winding_number.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/scene/triangle_distance.h"

namespace firn {
namespace {

using Vector = Vec<double, 3>;

constexpr std::uint32_t kLeafSize = 8;
constexpr double kFar = 2.5;  // a cluster is its sums from this many of its radii on
constexpr double kFullAngle = 4 * std::numbers::pi;

// [van Oosterom & Strackee 1983]
double solid_angle(const Vector& a, const Vector& b, const Vector& c) {
  const double la = norm(a), lb = norm(b), lc = norm(c);
  return 2 * std::atan2(dot(a, cross(b, c)),
                        la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

// The field of a current along a-b seen from the origin: the gradient of a solid angle is that of
// its rim.
Vector rim(const Vector& a, const Vector& b) {
  const double la = norm(a), lb = norm(b);
  const double below = la * lb * (la * lb + dot(a, b));
  if (!(below > 0)) return Vector::zero();  // on the edge itself
  return cross(a, b) * ((la + lb) / below);
}

}  // namespace

WindingNumber::WindingNumber(const TriangleMesh& mesh) {
  triangles_.reserve(mesh.triangles.size());
  for (const auto& t : mesh.triangles) {
    Triangle triangle;
    triangle.number = static_cast<std::uint32_t>(triangles_.size());
    for (int k = 0; k < 3; ++k) {
      const Vec3& v = mesh.vertices[t[k]];
      triangle.corner[k] = {{v[0], v[1], v[2]}};
    }
    const Vector* c = triangle.corner;
    triangle.centre = (c[0] + c[1] + c[2]) * (1.0 / 3);
    triangle.radius = 0;
    for (int k = 0; k < 3; ++k)
      triangle.radius = std::max(triangle.radius, norm(c[k] - triangle.centre));
    triangles_.push_back(triangle);
  }
  nodes_.reserve(triangles_.size());
  if (!triangles_.empty()) build(0, static_cast<std::uint32_t>(triangles_.size()));
  place_.resize(triangles_.size());
  for (std::uint32_t i = 0; i < triangles_.size(); ++i) place_[triangles_[i].number] = i;
}

WindingNumber::Node WindingNumber::summarise(std::uint32_t begin, std::uint32_t end) const {
  Node node;
  node.begin = begin;
  node.end = end;
  node.centre = node.area = Vector::zero();
  Vector middle = Vector::zero();
  double total = 0;
  for (std::uint32_t i = begin; i < end; ++i) {
    const Vector* c = triangles_[i].corner;
    const Vector area = 0.5 * cross(c[1] - c[0], c[2] - c[0]);
    const Vector third = (c[0] + c[1] + c[2]) * (1.0 / 3);
    const double weight = norm(area);
    node.area += area;
    node.centre += weight * third;
    middle += third;
    total += weight;
  }
  node.centre = total > 0 ? node.centre * (1 / total) : middle * (1.0 / (end - begin));
  node.moment = Mat<double, 3>::zero();
  for (std::uint32_t i = begin; i < end; ++i) {
    const Vector* c = triangles_[i].corner;
    node.moment += outer(0.5 * cross(c[1] - c[0], c[2] - c[0]),
                         (c[0] + c[1] + c[2]) * (1.0 / 3) - node.centre);
    for (int k = 0; k < 3; ++k) node.radius = std::max(node.radius, norm(c[k] - node.centre));
  }
  node.moment = symmetric_part(node.moment);
  return node;
}

void WindingNumber::build(std::uint32_t begin, std::uint32_t end) {
  const std::size_t self = nodes_.size();
  nodes_.push_back(summarise(begin, end));
  if (end - begin > kLeafSize) {
    const auto key = [](const Triangle& t, int axis) {
      return t.corner[0][axis] + t.corner[1][axis] + t.corner[2][axis];
    };
    int axis = 0;
    double widest = -1;
    for (int a = 0; a < 3; ++a) {
      double lo = key(triangles_[begin], a), hi = lo;
      for (std::uint32_t i = begin; i < end; ++i) {
        lo = std::min(lo, key(triangles_[i], a));
        hi = std::max(hi, key(triangles_[i], a));
      }
      if (hi - lo > widest) {
        widest = hi - lo;
        axis = a;
      }
    }
    const std::uint32_t middle = begin + (end - begin) / 2;
    std::nth_element(
        triangles_.begin() + begin, triangles_.begin() + middle, triangles_.begin() + end,
        [&](const Triangle& s, const Triangle& t) { return key(s, axis) < key(t, axis); });
    build(begin, middle);
    build(middle, end);
  }
  nodes_[self].skip = static_cast<std::uint32_t>(nodes_.size());
}

template <class Far, class Near>
void WindingNumber::traverse(const Vector& x, Far far, Near near) const {
  for (std::uint32_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    const Vector r = node.centre - x;
    const double squared = norm_squared(r);
    if (squared > kFar * kFar * node.radius * node.radius) {
      far(node, r, squared);
      i = node.skip;
    } else if (node.skip == i + 1) {
      for (std::uint32_t k = node.begin; k < node.end; ++k) {
        const Vector* c = triangles_[k].corner;
        near(c[0] - x, c[1] - x, c[2] - x);
      }
      ++i;
    } else {
      ++i;
    }
  }
}

// With r the way to the centre, A the area and M the moment, a cluster spans the solid angle
// A.r / |r|^3 + tr M / |r|^3 - 3 r.M r / |r|^5 to second order in its size.
double WindingNumber::at(const Vector& x) const {
  double angle = 0;
  traverse(
      x,
      [&](const Node& node, const Vector& r, double squared) {
        const double cubed = squared * std::sqrt(squared);
        const double r_M_r = dot(r, node.moment * r);
        angle += (dot(node.area, r) + trace(node.moment) - 3 * r_M_r / squared) / cubed;
      },
      [&](const Vector& a, const Vector& b, const Vector& c) { angle += solid_angle(a, b, c); });
  return angle / kFullAngle;
}

Vector WindingNumber::gradient(const Vector& x) const {
  Vector sum = Vector::zero();
  traverse(
      x,
      [&](const Node& node, const Vector& r, double squared) {
        const double cubed = squared * std::sqrt(squared);
        const Vector Mr = node.moment * r;
        const double along = dot(node.area, r) + trace(node.moment) - 5 * dot(r, Mr) / squared;
        sum += (r * (3 * along / squared) + Mr * (6 / squared) - node.area) * (1 / cubed);
      },
      [&](const Vector& a, const Vector& b, const Vector& c) {
        sum += rim(a, b) + rim(b, c) + rim(c, a);
      });
  return sum * (1 / kFullAngle);
}

double WindingNumber::nearest(const Vector& x, double at_most) const {
  return nearest_triangle(x, at_most).distance;
}

WindingNumber::Nearest WindingNumber::nearest_triangle(const Vector& x, double at_most) const {
  Nearest best{at_most, kNone};
  for (std::uint32_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    const double reach = best.distance + node.radius;
    if (norm_squared(node.centre - x) >= reach * reach) {
      i = node.skip;
      continue;
    }
    if (node.skip == i + 1)
      for (std::uint32_t k = node.begin; k < node.end; ++k) consider(triangles_[k], x, best);
    ++i;
  }
  return best;
}

void WindingNumber::consider(const Triangle& triangle, const Vector& x, Nearest& nearest) {
  const double close = nearest.distance + triangle.radius;
  if (norm_squared(triangle.centre - x) >= close * close) return;
  const Vector* c = triangle.corner;
  const double squared = squared_distance_to_triangle(c[0] - x, c[1] - x, c[2] - x);
  if (squared < nearest.distance * nearest.distance)
    nearest = {std::sqrt(squared), triangle.number};
}
void WindingNumber::consider(std::uint32_t triangle, const Vector& x, Nearest& nearest) const {
  consider(triangles_[place_[triangle]], x, nearest);
}

void WindingNumber::collect(const Vector& x, double reach, std::vector<Nearest>& found) const {
  for (std::uint32_t i = 0; i < nodes_.size();) {
    const Node& node = nodes_[i];
    const double close = reach + node.radius;
    if (norm_squared(node.centre - x) > close * close) {
      i = node.skip;
      continue;
    }
    if (node.skip == i + 1)
      for (std::uint32_t k = node.begin; k < node.end; ++k) {
        Nearest nearest{std::nextafter(reach, 2 * reach), kNone};
        consider(triangles_[k], x, nearest);
        if (nearest.triangle != kNone) found.push_back(nearest);
      }
    ++i;
  }
  // Of equal distances the order follows from the mesh, too.
  std::sort(found.begin(), found.end(), [](const Nearest& a, const Nearest& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.triangle < b.triangle;
  });
}

}  // namespace firn
