// Most shapes are surfaces of revolution: a profile of (radius, height) points with normals, swept
// about an axis. Where a profile has an edge, the point appears twice, once with the normal of each
// side.
#include "src/render/mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/render/isosurface.h"
#include "src/scene/mesh_cache.h"

namespace firn {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kAround = 96;       // segments of a full turn
constexpr int kQuarterTurn = 16;  // segments of a quarter of a profile circle

struct ProfilePoint {
  double radius, height;                // distance from the axis and along it
  double normal_radius, normal_height;  // unit outward normal
};
using Profile = std::vector<ProfilePoint>;

void append_arc(Profile& profile, double center_radius, double center_height, double radius,
                double from_angle, double to_angle) {
  const int segments =
      std::max(1, static_cast<int>(std::abs(to_angle - from_angle) / (kPi / 2) * kQuarterTurn));
  for (int i = 0; i <= segments; ++i) {
    const double angle = from_angle + (to_angle - from_angle) * i / segments;
    const double c = std::cos(angle), s = std::sin(angle);
    profile.push_back({center_radius + radius * c, center_height + radius * s, c, s});
  }
}

void append_line(Profile& profile, double r0, double h0, double r1, double h1) {
  const double length = std::hypot(r1 - r0, h1 - h0);
  if (length == 0) return;
  const double nr = (h1 - h0) / length, nh = (r0 - r1) / length;
  profile.push_back({r0, h0, nr, nh});
  profile.push_back({r1, h1, nr, nh});
}

void append_quads(Mesh& mesh, std::uint32_t first, int rows, int columns) {
  for (int i = 0; i + 1 < rows; ++i)
    for (int j = 0; j + 1 < columns; ++j) {
      const std::uint32_t a = first + static_cast<std::uint32_t>(i * columns + j);
      const std::uint32_t b = a + 1, c = a + static_cast<std::uint32_t>(columns), d = c + 1;
      mesh.indices.insert(mesh.indices.end(), {a, b, c, b, d, c});
    }
}

void revolve(const Profile& profile, const V3d& base, const V3d& axis, const Affine& placement,
             Mesh& mesh) {
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  const V3d up = normalized(axis);
  const auto [u, w] = perpendicular(up);
  for (const ProfilePoint& p : profile)
    for (int j = 0; j <= kAround; ++j) {
      const double angle = 2 * kPi * j / kAround;
      const V3d out = u * std::cos(angle) + w * std::sin(angle);
      append_vertex(mesh, placement, base + out * p.radius + up * p.height,
                    out * p.normal_radius + up * p.normal_height);
    }
  append_quads(mesh, first, static_cast<int>(profile.size()), kAround + 1);
}

void append_axial(const Shape& shape, const Affine& placement, Mesh& mesh) {
  const V3d from = to_vec(shape.from), axis = to_vec(shape.to) - from;
  const double height = norm(axis), radius = shape.radius;
  Profile profile;
  if (shape.type == ShapeType::kCapsule) {
    append_arc(profile, 0, 0, radius, -kPi / 2, 0);
    append_arc(profile, 0, height, radius, 0, kPi / 2);
  } else {
    const double top = shape.type == ShapeType::kCone ? 0 : radius;
    append_line(profile, 0, 0, radius, 0);
    append_line(profile, radius, 0, top, height);
    append_line(profile, top, height, 0, height);
  }
  revolve(profile, from, axis, placement, mesh);
}

void append_ellipsoid(const V3d& center, const V3d& radii, const Affine& placement, Mesh& mesh) {
  Profile circle;
  append_arc(circle, 0, 0, 1, -kPi / 2, kPi / 2);
  Mesh unit;
  revolve(circle, V3d::zero(), {{0, 1, 0}}, {}, unit);
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (const V3f& p : unit.positions) {
    V3d position = center, normal;
    for (int c = 0; c < 3; ++c) {
      position[c] += radii[c] * p[c];
      normal[c] = p[c] / radii[c];
    }
    append_vertex(mesh, placement, position, normal);
  }
  for (const std::uint32_t index : unit.indices) mesh.indices.push_back(first + index);
}

// A box with edges of radius `rounding`: a sphere whose octants are pulled apart. The angles at
// which the octants meet appear twice, once on each side; with no rounding the octants shrink to
// the corners, each with the face normals of its rim.
void append_box(const Shape& shape, const Affine& placement, Mesh& mesh) {
  const V3d low = to_vec(shape.min), high = to_vec(shape.max);
  const V3d center = (low + high) * 0.5, half = (high - low) * 0.5;
  const double rounding = std::min({shape.rounding, half[0], half[1], half[2]});
  const int segments = rounding > 0 ? 8 : 1;
  struct Angle {
    double value, middle;
  };
  const auto quadrants = [&](double start, int count) {
    std::vector<Angle> angles;
    for (int q = 0; q < count; ++q)
      for (int i = 0; i <= segments; ++i) {
        const double quadrant = start + q * kPi / 2;
        angles.push_back({quadrant + kPi / 2 * i / segments, quadrant + kPi / 4});
      }
    return angles;
  };
  const std::vector<Angle> polar = quadrants(-kPi / 2, 2);
  std::vector<Angle> around = quadrants(0, 4);
  around.push_back({2 * kPi, 2 * kPi + kPi / 4});
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (const Angle& p : polar)
    for (const Angle& a : around) {
      const V3d normal{{std::cos(p.value) * std::cos(a.value), std::sin(p.value),
                        std::cos(p.value) * std::sin(a.value)}};
      const V3d side{{std::cos(a.middle), std::sin(p.middle), std::sin(a.middle)}};
      V3d position = center + normal * rounding;
      for (int c = 0; c < 3; ++c) position[c] += std::copysign(half[c] - rounding, side[c]);
      append_vertex(mesh, placement, position, normal);
    }
  append_quads(mesh, first, static_cast<int>(polar.size()), static_cast<int>(around.size()));
  // The poles' faces: each pole is a row of four corners, spanned by two triangles.
  const auto columns = static_cast<std::uint32_t>(around.size());
  for (const std::uint32_t row : {0u, static_cast<std::uint32_t>(polar.size() - 1)}) {
    const std::uint32_t corner = first + row * columns;
    const auto step = static_cast<std::uint32_t>(segments + 1);
    mesh.indices.insert(mesh.indices.end(), {corner, corner + step, corner + 2 * step, corner,
                                             corner + 2 * step, corner + 3 * step});
  }
}

void append_torus(const Shape& shape, const Affine& placement, Mesh& mesh) {
  Profile profile;
  append_arc(profile, shape.radius, 0, shape.tube_radius, -kPi, kPi);
  revolve(profile, to_vec(shape.center), to_vec(shape.axis), placement, mesh);
}

// Mesh files have pictures of their own (Renderer::render takes them as surfaces).
bool contains_mesh(const Shape& shape) {
  return is_triangles(shape.type) || shape.type == ShapeType::kMeshSequence ||
         std::any_of(shape.children.begin(), shape.children.end(), contains_mesh);
}

// The part of a shape that lies in the room, as far as its own axes go.
Shape within(const Shape& shape, const Affine& placement, const Bounds& room) {
  const Affine to_shape = placement.inverse();
  Bounds own;
  for (int i = 0; i < 8; ++i) own.add(to_shape.point(room.corner(i)));
  Shape box, part;
  box.type = ShapeType::kBox;
  part.type = ShapeType::kIntersection;
  for (int c = 0; c < 3; ++c) {
    box.min[static_cast<std::size_t>(c)] = own.min[c];
    box.max[static_cast<std::size_t>(c)] = own.max[c];
  }
  part.children = {shape, box};
  return part;
}

bool append_cut(const Shape& cut, const Affine& placement, Mesh& mesh, const Bounds* room) {
  return !contains_mesh(cut) &&
         (append_isosurface(cut, placement, mesh) ||
          (room && append_isosurface(within(cut, placement, *room), placement, mesh)));
}

}  // namespace

void Bounds::add(const V3d& x) {
  for (int c = 0; c < 3; ++c) {
    min[c] = std::min(min[c], x[c]);
    max[c] = std::max(max[c], x[c]);
  }
}

V3d Bounds::corner(int i) const {
  return {{i & 1 ? max[0] : min[0], i & 2 ? max[1] : min[1], i & 4 ? max[2] : min[2]}};
}

V3d Affine::direction(const V3d& x) const {
  V3d r;
  for (int i = 0; i < 3; ++i)
    r[i] = linear[3 * i] * x[0] + linear[3 * i + 1] * x[1] + linear[3 * i + 2] * x[2];
  return r;
}

Affine Affine::operator*(const Affine& inner) const {
  Affine r;
  for (int j = 0; j < 3; ++j) {
    const V3d column = direction({{inner.linear[j], inner.linear[3 + j], inner.linear[6 + j]}});
    for (int i = 0; i < 3; ++i) r.linear[3 * i + j] = column[i];
  }
  r.offset = point(inner.offset);
  return r;
}

Affine Affine::inverse() const {
  // linear = s R, so its inverse is its transpose / s^2, and s^2 is the squared length of a column.
  const double scale2 = linear[0] * linear[0] + linear[3] * linear[3] + linear[6] * linear[6];
  Affine r;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) r.linear[3 * i + j] = linear[3 * j + i] / scale2;
  r.offset = -r.direction(offset);
  return r;
}

Affine placement_of(const Shape& shape) {
  const double cx = std::cos(shape.rotation[0]), sx = std::sin(shape.rotation[0]);
  const double cy = std::cos(shape.rotation[1]), sy = std::sin(shape.rotation[1]);
  const double cz = std::cos(shape.rotation[2]), sz = std::sin(shape.rotation[2]);
  const Affine x{{1, 0, 0, 0, cx, -sx, 0, sx, cx}, V3d::zero()};
  const Affine y{{cy, 0, sy, 0, 1, 0, -sy, 0, cy}, V3d::zero()};
  const Affine z{{cz, -sz, 0, sz, cz, 0, 0, 0, 1}, V3d::zero()};
  Affine r = z * y * x;
  for (double& entry : r.linear) entry *= shape.scale;
  r.offset = to_vec(shape.translation);
  return r;
}

Affine pose_of(const std::array<double, 9>& rotation, const Vec3& translation, const Vec3& pivot) {
  Affine pose{rotation, V3d::zero()};
  pose.offset = to_vec(pivot) + to_vec(translation) - pose.direction(to_vec(pivot));
  return pose;
}

// The placement is a similarity, so normals turn as directions do.
void append_vertex(Mesh& mesh, const Affine& placement, const V3d& position, const V3d& normal) {
  mesh.positions.push_back(to_float(placement.point(position)));
  mesh.normals.push_back(to_float(normalized(placement.direction(normal))));
}

void append_quad(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
  mesh.indices.insert(mesh.indices.end(), {a, b, c, a, c, d});
}

const Shape& stand_in(const Shape& cut) {
  const auto is_drawn = [](const Shape& child) { return child.type != ShapeType::kHalfSpace; };
  const auto first = cut.type == ShapeType::kIntersection
                         ? std::find_if(cut.children.begin(), cut.children.end(), is_drawn)
                         : cut.children.begin();
  return first != cut.children.end() ? *first : cut.children.at(0);
}

void append_shape(const Shape& shape, const Affine& placement, Mesh& mesh, int dimension,
                  const Bounds* room) {
  switch (shape.type) {
    case ShapeType::kSphere:
      return append_ellipsoid(to_vec(shape.center), V3d::filled(shape.radius), placement, mesh);
    case ShapeType::kEllipsoid:
      return append_ellipsoid(to_vec(shape.center), to_vec(shape.radii), placement, mesh);
    case ShapeType::kBox:
      return append_box(shape, placement, mesh);
    case ShapeType::kCylinder:
    case ShapeType::kCapsule:
    case ShapeType::kCone:
      return append_axial(shape, placement, mesh);
    case ShapeType::kTorus:
      return append_torus(shape, placement, mesh);
    case ShapeType::kUnion:
      for (const Shape& child : shape.children)
        append_shape(child, placement, mesh, dimension, room);
      return;
    case ShapeType::kIntersection:
    case ShapeType::kDifference:
      if (shape.children.empty() || (dimension == 3 && append_cut(shape, placement, mesh, room)))
        return;
      return append_shape(stand_in(shape), placement, mesh, dimension, room);
    case ShapeType::kHeightField:
      return append_height_field(shape, placement, mesh);
    case ShapeType::kTransform:
      for (const Shape& child : shape.children)
        append_shape(child, placement * placement_of(shape), mesh, dimension, room);
      return;
    case ShapeType::kHalfSpace:
    case ShapeType::kMesh:
    case ShapeType::kMeshSequence:
    case ShapeType::kVdb:
    case ShapeType::kText:
      return;
  }
}

void append_planes(const Shape& shape, const Affine& placement, std::vector<Plane>& planes) {
  if (shape.type == ShapeType::kHalfSpace)
    planes.push_back({placement.point(to_vec(shape.point)),
                      normalized(placement.direction(to_vec(shape.normal)))});
  const bool is_cut =
      shape.type == ShapeType::kIntersection || shape.type == ShapeType::kDifference;
  if (is_cut && contains_mesh(shape)) append_planes(stand_in(shape), placement, planes);
  const bool transform = shape.type == ShapeType::kTransform;
  if (!transform && shape.type != ShapeType::kUnion) return;
  const Affine inner = transform ? placement * placement_of(shape) : placement;
  for (const Shape& child : shape.children) append_planes(child, inner, planes);
}

}  // namespace firn
