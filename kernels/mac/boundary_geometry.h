// Walls of the domain and bodies as one boundary: its distance, and which part of it is nearest.
#pragma once

#include "kernels/mac/mac_grid.h"
#include "kernels/mac/open_area.h"

namespace firn {

template <int D, class Real>
struct NearestBoundary {
  Real distance = kLargest<Real>;
  Real next = kLargest<Real>;  // the distance of what is nearest but for it
  int body = -1;               // a wall of the domain
  BoundaryType boundary = BoundaryType::kSlip;
  Vec<Real, D> velocity = Vec<Real, D>::zero(), wall_normal = Vec<Real, D>::zero();
};

template <int D, class Real>
struct BoundaryGeometry;
template <int D, class Real>
FIRN_HD Vec<Real, D> normal_of_way_out(BoundaryGeometry<D, Real> geometry, Vec<Real, D> n,
                                       const Vec<Real, D>& x);

template <int D, class Real>
struct BoundaryGeometry {
  static constexpr int kSide = BlockTraits<D>::kSide;
  GridUpdateParams<Real, D> params;
  GridView<Real> grid;

  // Of a point `offset` cells from the lowest corner of a block.
  FIRN_HD Vec<Real, D> position_of(const Vec<int, D>& block, const Vec<Real, D>& offset) const {
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a) x[a] = (static_cast<Real>(block[a] * kSide) + offset[a]) * grid.dx;
    return x;
  }
  FIRN_HD Vec<Real, D> face_position(const Vec<int, D>& block, const Vec<int, D>& local,
                                     int axis) const {
    Vec<Real, D> offset;
    for (int a = 0; a < D; ++a)
      offset[a] = static_cast<Real>(local[a]) + (a == axis ? Real(0) : Real(0.5));
    return position_of(block, offset);
  }

  // Distances below this are none: a thousandth of a cell or, far from the origin, what rounding
  // makes of positions.
  FIRN_HD Real same_place(const Vec<Real, D>& x) const {
    Real far = 0;
    for (int a = 0; a < D; ++a) far = max(far, abs(x[a]));
    return max(Real(1e-3) * grid.dx, 4 * kEpsilon<Real> * far);
  }
  FIRN_HD Vec<Real, D> cell_position(const Vec<int, D>& block, std::uint32_t cell) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(cell));
    Vec<Real, D> offset;
    for (int a = 0; a < D; ++a) offset[a] = static_cast<Real>(local[a]) + Real(0.5);
    return position_of(block, offset);
  }

  FIRN_HD Real body_distance(const Vec<Real, D>& x, int c) const {
    return signed_distance<D>(params.colliders[c].program, to_body(params.poses[c], x));
  }
  FIRN_HD Real wall_distance(const Vec<Real, D>& x) const {
    Real phi = kLargest<Real>;
    for (int a = 0; a < D && params.walls.active; ++a)
      phi = min(phi, min(x[a] - params.walls.min[a], params.walls.max[a] - x[a]));
    return phi;
  }
  FIRN_HD Real distance(const Vec<Real, D>& x) const {
    Real phi = wall_distance(x);
    for (int c = 0; c < params.collider_count; ++c) phi = min(phi, body_distance(x, c));
    return phi;
  }
  // A wall along the grid has its corners at distance 0 up to rounding.
  FIRN_HD Real snapped(Real phi, const Vec<Real, D>& x) const {
    return abs(phi) < same_place(x) ? Real(0) : phi;
  }
  // Of a face: what touches, as far as contact lets it lie apart, leaves no gap.
  static constexpr Real kLeastGap = Real(0.02);
  // What the walls and each body by themselves leave of a face.
  FIRN_HD Real open_between(const Vec<int, D>& block, const Vec<int, D>& local, int axis) const {
    constexpr int kFaceCorners = 1 << (D - 1);
    constexpr int kAlong[4] = {0, 1, 1, 0}, kAcross[4] = {0, 0, 1, 1};
    Vec<Real, D> corners[kFaceCorners];
    for (int i = 0; i < kFaceCorners; ++i) {
      Vec<Real, D> offset;
      for (int a = 0; a < D; ++a) offset[a] = static_cast<Real>(local[a]);
      offset[(axis + 1) % D] += static_cast<Real>(kAlong[i]);
      if constexpr (D == 3) offset[(axis + 2) % D] += static_cast<Real>(kAcross[i]);
      corners[i] = position_of(block, offset);
    }
    Real left = Real(1);
    for (int part = -1; part < params.collider_count && left > Real(0); ++part) {
      Real phi[kFaceCorners];
      for (int i = 0; i < kFaceCorners; ++i) {
        const Vec<Real, D>& x = corners[i];
        phi[i] = snapped(part < 0 ? wall_distance(x) : body_distance(x, part), x);
      }
      if constexpr (D == 2)
        left -= Real(1) - open_length(phi[0], phi[1]);
      else
        left -= Real(1) - open_square(phi);
    }
    return left > kLeastGap ? left : Real(0);
  }
  // Whether it can touch the cells of a block.
  FIRN_HD bool is_near(const Vec<int, D>& block) const {
    const Real half = Real(0.5) * static_cast<Real>(kSide);
    const Real radius = half * grid.dx * sqrt(static_cast<Real>(D));
    return distance(position_of(block, Vec<Real, D>::filled(half))) <=
           radius + Real(1e-3) * grid.dx;
  }

  // Without the bend: chords converge, which is no flow through the surface.
  FIRN_HD Vec<Real, D> surface_velocity(int c, const Vec<Real, D>& x) const {
    return firn::surface_velocity(params.colliders[c], params.poses[c], x) -
           bend_at(params.poses[c], x);
  }
  FIRN_HD bool deforms(int c) const { return params.colliders[c].deforming != nullptr; }
  // How fast the velocities of body c make the part of a cell with centre x grow that lies within
  // it, over the volume of the cell, 1/s: nothing where it moves as one.
  FIRN_HD Real swelling(int c, const Vec<Real, D>& x) const {
    const Real within = clamp(Real(0.5) - body_distance(x, c) * grid.inv_dx, Real(0), Real(1));
    if (within == Real(0)) return Real(0);
    const Real half = Real(0.5) * grid.dx;
    Real growth = Real(0);
    for (int k = 0; k < 2 * D; ++k) {
      const Real way = k % 2 == 0 ? half : -half;
      const Real v = surface_velocity(c, beside(x, k / 2, way))[k / 2];
      growth += k % 2 == 0 ? v : -v;
    }
    return within * grid.inv_dx * growth;
  }
  FIRN_HD static bool is_nearer(Real phi, NearestBoundary<D, Real>& wall) {
    const bool nearer = phi < wall.distance;
    wall.next = nearer ? wall.distance : min(wall.next, phi);
    if (nearer) wall.distance = phi;
    return nearer;
  }
  FIRN_HD NearestBoundary<D, Real> nearest(const Vec<Real, D>& x) const {
    NearestBoundary<D, Real> wall;
    for (int f = 0; f < 2 * D && params.walls.active; ++f) {
      const int a = f / 2;
      const Real phi = f % 2 == 0 ? x[a] - params.walls.min[a] : params.walls.max[a] - x[a];
      if (!is_nearer(phi, wall)) continue;
      wall.boundary = params.walls.boundary[f];
      wall.wall_normal = Vec<Real, D>::zero();
      wall.wall_normal[a] = f % 2 == 0 ? Real(1) : Real(-1);
    }
    for (int c = 0; c < params.collider_count; ++c) {
      const Real phi = body_distance(x, c);
      if (!is_nearer(phi, wall)) continue;
      wall.body = c;
      wall.boundary = params.colliders[c].boundary;
      wall.velocity = surface_velocity(c, x);
    }
    return wall;
  }
  // Towards what is free: the normal of the nearest face, unless that lies on another body or wall,
  // or within it.
  FIRN_HD Vec<Real, D> normal(const NearestBoundary<D, Real>& wall, const Vec<Real, D>& x) const {
    const Vec<Real, D> n = own_normal(wall, x);
    const Real outside = Real(0.01) * grid.dx, before = Real(0.05) * grid.dx;
    // Nothing else is where that face is.
    if (wall.distance > outside || wall.next > abs(wall.distance) + before) return n;
    if (distance(x + (before - wall.distance) * n) < Real(0))
      return normal_of_way_out<D, Real>(*this, n, x);
    return wall.distance < -outside ? n : joint_normal(n, x);
  }
  FIRN_HD Vec<Real, D> own_normal(const NearestBoundary<D, Real>& wall,
                                  const Vec<Real, D>& x) const {
    if (wall.body < 0) return wall.wall_normal;
    const RigidPose<Real>& pose = params.poses[wall.body];
    return rotate_to_world(pose, sdf_normal<D>(params.colliders[wall.body].program,
                                               to_body(pose, x), Real(0.1) * grid.dx));
  }
  FIRN_HD static Vec<Real, D> beside(Vec<Real, D> x, int axis, Real way) {
    for (int a = 0; a < D; ++a) x[a] += a == axis ? way : Real(0);
    return x;
  }
  FIRN_HD Vec<Real, D> joint_normal(const Vec<Real, D>& otherwise, const Vec<Real, D>& x) const {
    const Real step = Real(0.1) * grid.dx;
    Vec<Real, D> slope;
    for (int a = 0; a < D; ++a)
      slope[a] = distance(beside(x, a, step)) - distance(beside(x, a, -step));
    const Real length = norm(slope);
    return length > Real(0) ? (Real(1) / length) * slope : otherwise;
  }

  // Whether a closed face lies in a body along which material may slide, not only against it.
  FIRN_HD bool slides(const Vec<int, D>& block, const Vec<int, D>& local, int axis) const {
    const Vec<Real, D> x = face_position(block, local, axis);
    const NearestBoundary<D, Real> wall = nearest(x);
    return wall.body >= 0 && wall.boundary != BoundaryType::kSticky &&
           abs(normal(wall, x)[axis]) < kAlongAxis;
  }
  // Whether a sticky boundary holds what moves along it past a face; see clings() in face_layers.h.
  // The projection alone holds what moves against it.
  FIRN_HD bool grips(const NearestBoundary<D, Real>& wall, const Vec<Real, D>& x, int axis) const {
    constexpr Real kAcross = Real(0.8);
    return wall.boundary == BoundaryType::kSticky && wall.distance < kBesideWall * grid.dx &&
           abs(normal(wall, x)[axis]) < kAcross;
  }
  // A face half a cell before a wall along the grid is free.
  static constexpr Real kBesideWall = Real(0.499);
  // And what others follow lies at least so far before it.
  static constexpr Real kLeastBefore = Real(0.2);
  // A normal nearer to an axis than 1.4 mrad is along it: single precision finds it to 1e-4.
  static constexpr Real kAlongAxis = Real(1 - 1e-6);
};

// Where the shortest way along an axis leads out of all boundaries, their normal as one; `n` where
// none does within two cells. Takes a copy of what it needs: see BodyGuard.
template <int D, class Real>
FIRN_RARE FIRN_HD inline Vec<Real, D> normal_of_way_out(BoundaryGeometry<D, Real> geometry,
                                                        Vec<Real, D> n, const Vec<Real, D>& x) {
  // None of two that touch holds a point of their seam.
  const Real dx = geometry.grid.dx, outside = Real(0.01) * dx;
  Real shortest = 2 * dx;
  for (int k = 0; k < 2 * D; ++k) {
    Real way = 0;
    while (way < shortest) {
      const Vec<Real, D> at = geometry.beside(x, k / 2, k % 2 == 0 ? way : -way);
      const Real phi = geometry.distance(at);
      if (phi > outside) {
        shortest = way;
        n = geometry.joint_normal(n, at);
        break;
      }
      way += max(-phi, 2 * outside);
    }
  }
  return n;
}

}  // namespace firn
