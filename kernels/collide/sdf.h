// Signed distances of shape trees on host and device. A tree is compiled on the host
// (src/scene/shapes.h) to a flat postfix program: leaves push a distance, booleans combine the two
// on top of a small stack. Transforms cost nothing here: every leaf carries its own frame, with
// uniform scales folded into its parameters.
//
// Distances are negative inside and exact for every leaf but meshes (trilinear in a narrow band),
// height fields (likewise where steep, else a lower bound) and tori within that meet themselves.
// A union is exact outside, an intersection or difference inside; elsewhere min and max bound the
// distance from below. In 2D the third coordinate is zero, boxes and ellipsoids ignore it, and the
// others are cut by that plane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/collide/deforming_sdf.h"
#include "kernels/collide/height_field_sdf.h"
#include "kernels/collide/mesh_sdf.h"
#include "kernels/math/mat.h"

namespace firn {

enum class SdfOp : std::int32_t {
  kSphere,        // parameter: radius
  kBox,           // half extents of the core (3), rounding added to it
  kHalfSpace,     // none; solid where the local y < 0
  kCylinder,      // radius, half height along y
  kCapsule,       // radius, half length of the segment along y
  kCone,          // radius at y = 0, height of the apex on +y
  kTorus,         // ring radius, tube radius; symmetric about y
  kEllipsoid,     // half axes (3)
  kHeightField,   // see height_field_sdf.h (7)
  kMesh,          // bounds in index space: min (3), max (3); voxel size
  kDeforming,     // likewise, of wherever it gets to; see deforming_sdf.h
  kUnion,         // booleans pop b, then a: min(a, b)
  kIntersection,  // max(a, b)
  kDifference,    // max(a, -b)
};

inline constexpr int kSdfParameters = 7;
// Values on the stack at once: a tree nested deeper than 15 in its right branches is refused on the
// host.
inline constexpr int kMaxSdfDepth = 16;

template <class Real>
struct SdfInstruction {
  Mat<Real, 3> rotation;  // local = rotation (x - origin)
  Vec<Real, 3> origin;
  Real parameter[kSdfParameters];
  SdfOp op;
  std::int64_t mesh_offset;  // bytes from SdfProgram::meshes to the grid or the heights
};

// A view: the owner keeps `code` and `meshes` alive, on the side that evaluates it.
template <class Real>
struct SdfProgram {
  const SdfInstruction<Real>* code = nullptr;
  int count = 0;
  const std::byte* meshes = nullptr;  // aligned to kMeshGridAlignment
};

namespace sdf {

template <class Real>
FIRN_HD inline Real length2(Real x, Real y) {
  return sqrt(x * x + y * y);
}

// q = |p| - half extents: distance to the face, edge or corner outside, to the nearest face inside.
template <int N, class Real>
FIRN_HD inline Real box_distance(const Vec<Real, N>& q) {
  Real outside = 0, inside = q[0];
  for (int i = 0; i < N; ++i) {
    const Real e = max(q[i], Real(0));
    outside += e * e;
    inside = max(inside, q[i]);
  }
  return sqrt(outside) + min(inside, Real(0));
}

template <int D, class Real>
FIRN_HD inline Real box(const Vec<Real, 3>& p, const Real* a) {
  Vec<Real, D> q;
  for (int i = 0; i < D; ++i) q[i] = abs(p[i]) - a[i];
  return box_distance<D, Real>(q) - a[3];
}

template <class Real>
FIRN_HD inline Real cylinder(const Vec<Real, 3>& p, const Real* a) {
  return box_distance<2, Real>({{length2(p[0], p[2]) - a[0], abs(p[1]) - a[1]}});
}

template <class Real>
FIRN_HD inline Real capsule(const Vec<Real, 3>& p, const Real* a) {
  const Real y = p[1] - clamp(p[1], -a[1], a[1]);
  return norm(Vec<Real, 3>{{p[0], y, p[2]}}) - a[0];
}

// In the half plane (r, y) through the axis the cone is the triangle (0,0), (R,0), (0,h).
template <class Real>
FIRN_HD inline Real cone(const Vec<Real, 3>& p, const Real* a) {
  const Real R = a[0], h = a[1];
  const Real r = length2(p[0], p[2]), y = p[1];
  const Real slant = length2(R, h);
  const Real to_side = (h * (r - R) + R * y) / slant;  // signed distance to the line of the side
  const Real s = clamp((R * (R - r) + h * y) / (slant * slant), Real(0), Real(1));
  const Real side = length2(r - R * (Real(1) - s), y - h * s);
  const Real base = length2(max(r - R, Real(0)), y);
  const Real d = min(side, base);
  return to_side <= Real(0) && y >= Real(0) ? -d : d;
}

template <class Real>
FIRN_HD inline Real torus(const Vec<Real, 3>& p, const Real* a) {
  return length2(length2(p[0], p[2]) - a[0], p[1]) - a[1];
}

// The nearest point of sum (x_i/a_i)^2 = 1 to y is x_i = a_i^2 y_i / (t + a_i^2) with t the largest
// root of F(t) = sum (a_i y_i / (t + a_i^2))^2 - 1, decreasing and convex there: Newton from the
// left never overshoots. The distance, signed, is t |y_i / (t + a_i^2)|. Coordinates are kept 1e-4
// of the smallest axis away from the symmetry planes, where the root may sit on a pole; that shifts
// the answer by at most 2e-4 of that axis inside.
template <int D, class Real>
FIRN_HD inline Real ellipsoid(const Vec<Real, 3>& p, const Real* a) {
  Real smallest = a[0];
  for (int i = 1; i < D; ++i) smallest = min(smallest, a[i]);
  Vec<Real, D> y;
  Real t = -smallest * smallest;
  for (int i = 0; i < D; ++i) {
    y[i] = max(abs(p[i]), Real(1e-4) * smallest);
    t = max(t, a[i] * (y[i] - a[i]));
  }
  for (int iteration = 0; iteration < 24; ++iteration) {
    Real f = -1, slope = 0;
    for (int i = 0; i < D; ++i) {
      const Real w = Real(1) / (t + a[i] * a[i]);
      const Real term = a[i] * y[i] * w;
      f += term * term;
      slope += Real(2) * term * term * w;
    }
    if (f <= Real(4) * kEpsilon<Real>) break;
    t += f / slope;
  }
  Vec<Real, D> direction;
  for (int i = 0; i < D; ++i) direction[i] = y[i] / (t + a[i] * a[i]);
  return t * norm(direction);
}

// Beyond the band the grid only knows "far"; the distance to the mesh's bounds is then the better
// lower bound.
template <bool kDeforms, class Real>
FIRN_HD inline Real mesh(const Vec<Real, 3>& p, const Real* a, const std::byte* grid) {
  Vec<Real, 3> index, q;
  for (int i = 0; i < 3; ++i) {
    index[i] = p[i] / a[6];
    q[i] = abs(index[i] - Real(0.5) * (a[i] + a[i + 3])) - Real(0.5) * (a[i + 3] - a[i]);
  }
  const Real bounds = box_distance<3, Real>(q);
  // Also keeps the index within the integers that a grid can address.
  Real sampled = bounds;
  if (bounds < Real(64))
    sampled = kDeforms ? deforming_distance(grid, index) : sample_mesh_grid(grid, index);
  return a[6] * max(sampled, bounds);
}

template <int D, class Real>
FIRN_HD inline Real leaf(const SdfInstruction<Real>& in, const Vec<Real, 3>& p,
                         const std::byte* meshes) {
  switch (in.op) {
    case SdfOp::kSphere:
      return norm(p) - in.parameter[0];
    case SdfOp::kBox:
      return box<D>(p, in.parameter);
    case SdfOp::kHalfSpace:
      return p[1];
    case SdfOp::kCylinder:
      return cylinder(p, in.parameter);
    case SdfOp::kCapsule:
      return capsule(p, in.parameter);
    case SdfOp::kCone:
      return cone(p, in.parameter);
    case SdfOp::kTorus:
      return torus(p, in.parameter);
    case SdfOp::kEllipsoid:
      return ellipsoid<D>(p, in.parameter);
    case SdfOp::kHeightField:
      return height_field<D>(p, in.parameter, meshes + in.mesh_offset);
    case SdfOp::kDeforming:
      return mesh<D == 3>(p, in.parameter, meshes + in.mesh_offset);
    default:
      return mesh<false>(p, in.parameter, meshes + in.mesh_offset);
  }
}

}  // namespace sdf

// Signed distance to the program's shape in m, negative inside; an empty program is far from
// everything.
template <int D, class Real>
FIRN_RARE FIRN_HD inline Real signed_distance(const SdfProgram<Real>& program,
                                              const Vec<Real, D>& x) {
  Real stack[kMaxSdfDepth];
  Real top = std::numeric_limits<Real>::max();  // stays in a register; a single leaf never touches
                                                // the stack
  int depth = 0;
  for (int i = 0; i < program.count; ++i) {
    const SdfInstruction<Real>& in = program.code[i];
    if (in.op == SdfOp::kUnion) {
      top = min(stack[--depth], top);
    } else if (in.op == SdfOp::kIntersection) {
      top = max(stack[--depth], top);
    } else if (in.op == SdfOp::kDifference) {
      top = max(stack[--depth], -top);
    } else {
      Vec<Real, 3> offset;
      for (int k = 0; k < 3; ++k) offset[k] = (k < D ? x[k < D ? k : 0] : Real(0)) - in.origin[k];
      if (i > 0) stack[depth++] = top;
      top = sdf::leaf<D>(in, in.rotation * offset, program.meshes);
    }
  }
  return top;
}

// Velocity in m/s with which the surface of a program that is one deforming mesh moves, at its
// point nearest to x.
template <class Real>
FIRN_RARE FIRN_HD inline Vec<Real, 3> deformation_velocity(const SdfProgram<Real>& program,
                                                           const Vec<Real, 3>& x) {
  const SdfInstruction<Real>& in = program.code[0];
  const Vec<Real, 3> index = in.rotation * (x - in.origin) * (Real(1) / in.parameter[6]);
  return deforming_velocity(program.meshes + in.mesh_offset, index);
}

// Unit outward normal by central differences of step `h` (m; a tenth of a grid cell is a good
// choice). Where the differences vanish, as in the centre of a sphere or deep inside a mesh, it is
// +y: always a unit vector.
template <int D, class Real>
FIRN_HD inline Vec<Real, D> sdf_normal(const SdfProgram<Real>& program, const Vec<Real, D>& x,
                                       Real h) {
  Vec<Real, D> gradient = Vec<Real, D>::zero();
  if (program.count == 1 && program.code[0].op == SdfOp::kHalfSpace) {
    for (int a = 0; a < D; ++a) gradient[a] = program.code[0].rotation(1, a);
    return gradient;
  }
  // Not unrolled: the distance is much code, and the kernels that call this were most of a minute
  // each to compile with 2 D copies of it.
  [[maybe_unused]] constexpr int kUnrolled = 1;
  FIRN_UNROLL
  for (int k = 0; k < 2 * D; ++k) {
    const Real side = k % 2 == 0 ? Real(1) : Real(-1);
    Vec<Real, D> y = x;
    for (int i = 0; i < D; ++i) y[i] += i == k / 2 ? side * h : Real(0);
    const Real distance = side * signed_distance(program, y);
    for (int i = 0; i < D; ++i) gradient[i] += i == k / 2 ? distance : Real(0);
  }
  const Real length = norm(gradient);
  // A distance changes by 2h along its normal; a thousandth of that is no direction any more.
  if (length > Real(2e-3) * h) return gradient * (Real(1) / length);
  Vec<Real, D> up = Vec<Real, D>::zero();
  up[1] = 1;
  return up;
}

}  // namespace firn
