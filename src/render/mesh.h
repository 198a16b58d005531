// Triangle meshes of shapes, for the ray tracer and for the extent of things in a picture.
// Half-spaces are not meshed but listed as planes, since how much of them to draw depends on the
// view.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "firn/scene.h"
#include "kernels/math/vec.h"

namespace firn {

using V3f = Vec<float, 3>;
using V3d = Vec<double, 3>;

inline V3d to_vec(const Vec3& a) { return {{a[0], a[1], a[2]}}; }
inline V3f to_float(const V3d& a) {
  return {{static_cast<float>(a[0]), static_cast<float>(a[1]), static_cast<float>(a[2])}};
}
template <class T>
Vec<T, 3> normalized(const Vec<T, 3>& a) {
  const T length = norm(a);
  return length > 0 ? a * (1 / length) : Vec<T, 3>{{0, 1, 0}};
}
// Two unit vectors that complete the unit vector `n` to a right-handed orthonormal frame (first, n,
// second).
template <class T>
std::array<Vec<T, 3>, 2> perpendicular(const Vec<T, 3>& n) {
  const bool along_x = n[0] > T(0.9) || n[0] < T(-0.9);
  const Vec<T, 3> helper = along_x ? Vec<T, 3>{{0, 1, 0}} : Vec<T, 3>{{1, 0, 0}};
  const Vec<T, 3> first = normalized(cross(n, helper));
  return {first, cross(first, n)};
}

// x -> linear * x + offset
struct Affine {
  std::array<double, 9> linear{1, 0, 0, 0, 1, 0, 0, 0, 1};  // row-major
  V3d offset{{0, 0, 0}};

  V3d point(const V3d& x) const { return direction(x) + offset; }
  V3d direction(const V3d& x) const;
  Affine operator*(const Affine& inner) const;  // first `inner`, then this
  Affine inverse() const;  // of a similarity: rotation, uniform scale, translation
};
// The placement that Shape::translation, rotation and scale describe: scaled, rotated about x, y,
// z, then moved.
Affine placement_of(const Shape& shape);

// x -> rotation (x - pivot) + pivot + translation; the rotation row-major.
Affine pose_of(const std::array<double, 9>& rotation, const Vec3& translation, const Vec3& pivot);

struct Bounds {
  V3d min = V3d::filled(std::numeric_limits<double>::infinity());
  V3d max = V3d::filled(-std::numeric_limits<double>::infinity());

  void add(const V3d& x);
  bool empty() const { return !(min[0] <= max[0]); }
  V3d center() const { return (min + max) * 0.5; }
  V3d extent() const { return max - min; }
  double diagonal() const { return norm(extent()); }
  V3d corner(int i) const;  // i = 0..7
  bool operator==(const Bounds& other) const {
    return norm(min - other.min) == 0 && norm(max - other.max) == 0;
  }
};

struct Mesh {
  std::vector<V3f> positions;
  std::vector<V3f> normals;  // one per position, or none: flat triangles
  std::vector<std::uint32_t> indices;
};

// Positions and normals are placed by `placement`.
void append_vertex(Mesh& mesh, const Affine& placement, const V3d& position, const V3d& normal);
void append_quad(Mesh& mesh, std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d);

// Of a difference or intersection that cannot be drawn, what stands for it: the first child that
// is no half-space of an intersection, the first child of a difference.
const Shape& stand_in(const Shape& cut);

// Adds the surface of `shape`, placed by `placement`. Half-spaces and mesh files add nothing; of an
// unbounded difference or intersection is drawn what is in the `room`, about which nothing is known
// where there is none; for those, for one with a mesh file in it, and in a plane, stand_in is.
void append_shape(const Shape& shape, const Affine& placement, Mesh& mesh, int dimension = 3,
                  const Bounds* room = nullptr);

struct Plane {  // solid on the side away from the unit normal
  V3d point, normal;
};
// The half-spaces of a shape that bound it from outside: itself, or members of unions and
// transforms, or what stands for what is cut by mesh files.
void append_planes(const Shape& shape, const Affine& placement, std::vector<Plane>& planes);

}  // namespace firn
