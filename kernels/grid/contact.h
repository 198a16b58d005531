// Where the nodes of a block meet walls and bodies, and with which velocity: for the grid update,
// and for what finds out before it how bodies will move.
#pragma once

#include "kernels/exec/node.h"
#include "kernels/grid/update.h"

namespace firn {

template <int D, class Real>
struct NodeContact {
  static constexpr int kNodes = BlockTraits<D>::kNodes;

  GridUpdateParams<Real, D> params;
  GridView<Real> grid;
  const StepControl* control;

  FIRN_HD static Node<Real>* nodes_of(Real* channel, std::uint32_t block) {
    return reinterpret_cast<Node<Real>*>(channel) + std::uint64_t{block} * kNodes;
  }

  struct Forced {
    Vec<Real, D> before, after;
  };
  // v = (mv + impulse) / m + dt g; `before` is mv / m. `impulses` may be null.
  FIRN_HD Forced forced(const Node<Real>& node, const Node<Real>* impulses, std::uint32_t i) const {
    const Real dt = static_cast<Real>(control->dt);
    // Beside a node by a rounding of its reach along all axes, particles leave it less than has an
    // inverse.
    constexpr Real kLeastMass = kLeastNormal<Real> / kEpsilon<Real>;
    const Real inv_m = node.mass() > kLeastMass ? Real(1) / node.mass() : Real(0);
    Vec<Real, D> v, before;
    for (int a = 0; a < D; ++a) {
      before[a] = node[a] * inv_m;
      v[a] = before[a] + (impulses != nullptr ? impulses[i][a] * inv_m : Real(0));
      v[a] = inv_m > Real(0) ? v[a] + dt * params.gravity[a] : Real(0);
    }
    return {before, v};
  }

  FIRN_HD Vec<Real, D> position_of(const Vec<int, D>& origin, std::uint32_t i) const {
    const Vec<int, D> local = local_of_node<D>(static_cast<int>(i));
    Vec<Real, D> x;
    for (int a = 0; a < D; ++a)
      x[a] = static_cast<Real>(origin[a] * BlockTraits<D>::kSide + local[a]) * grid.dx;
    return x;
  }

  // A node on the surface of a wall or body belongs to it: this covers the rounding of its
  // position, which would choose otherwise which nodes of a plane touch what ends there.
  FIRN_HD Real tolerance() const { return Real(1e-3) * grid.dx; }
  // `face`: of the domain, in the order of DomainWalls.
  FIRN_HD bool is_at_wall(const Vec<Real, D>& x, int face) const {
    return is_within(tolerance(), x, face);
  }
  FIRN_HD bool is_within(Real reach, const Vec<Real, D>& x, int face) const {
    const int a = face / 2;
    return face % 2 == 0 ? x[a] <= params.walls.min[a] + reach
                         : x[a] >= params.walls.max[a] - reach;
  }
  FIRN_HD Vec<Real, D> wall_normal(int face) const {
    Vec<Real, D> normal = Vec<Real, D>::zero();
    normal[face / 2] = face % 2 == 0 ? Real(1) : Real(-1);
    return normal;
  }
  FIRN_HD bool is_in_body(Real distance) const { return distance <= tolerance(); }
  // What lets go of material holds it up only by as much as it would come too close in the step:
  // how fast, m/s, its surface may come closer. Contact that is felt from afar, which stops less at
  // once, holds what rolls by nodes ahead of where it touches.
  static constexpr Real kGap = Real(0.25);  // cells, within which they touch
  FIRN_HD Real closing_speed(Real gap) const {
    return max(gap - kGap * grid.dx, Real(0)) / static_cast<Real>(control->dt);
  }
  FIRN_HD Real closing_speed_at_wall(int face, std::uint32_t block, std::uint32_t i) const {
    if (!params.walls.minds_gap(face)) return Real(0);
    const Real at = surface_at(block, i)[face / 2];
    return closing_speed(face % 2 == 0 ? at - params.walls.min[face / 2]
                                       : params.walls.max[face / 2] - at);
  }
  // How a wall or collider of that normal acts on the node at x.
  FIRN_HD BoundaryType type_at(BoundaryType type, const Vec<Real, D>& x,
                               const Vec<Real, D>& normal) const {
    return params.openings.type_at(type, x, normal, grid.dx, control->time);
  }
  // What may hold nodes: the faces of the domain, in the order of DomainWalls, then the colliders.
  static constexpr int kFaces = 2 * D;
  FIRN_HD Real distance_from(int h, const Vec<Real, D>& x) const {
    if (h >= kFaces) return distance(h - kFaces, x);
    const int a = h / 2;
    return h % 2 == 0 ? x[a] - params.walls.min[a] : params.walls.max[a] - x[a];
  }
  FIRN_HD BoundaryType type_of(int h) const {
    return h < kFaces ? params.walls.boundary[h] : params.colliders[h - kFaces].boundary;
  }
  // Whether a collider moves, by its key frames or by material.
  FIRN_HD bool goes(int c) const {
    const RigidPose<Real>& pose = params.poses[c];
    return norm_squared(pose.velocity) > Real(0) || norm_squared(pose.angular_velocity) > Real(0) ||
           params.colliders[c].deforming != nullptr;
  }
  FIRN_HD Vec<Real, D> normal_of(int h, const Vec<Real, D>& x) const {
    return h < kFaces ? wall_normal(h) : normal_at(h - kFaces, x);
  }
  FIRN_HD Vec<Real, D> velocity_of(int h, const Vec<Real, D>& x) const {
    if (h < kFaces) return Vec<Real, D>::zero();
    return surface_velocity(params.colliders[h - kFaces], params.poses[h - kFaces], x);
  }
  FIRN_HD bool holds_any(int h) const {
    const BoundaryType type = type_of(h);
    return type != BoundaryType::kOpen && type != BoundaryType::kPeriodic &&
           (h < kFaces || !is_moved(h - kFaces));
  }
  FIRN_HD Real reach_of_kernel() const {
    return Real(0.5) * static_cast<Real>(params.degree + 1) * grid.dx;
  }
  // How holder h, `phi` from it, holds a node at x, of a block. What sticks lets it slide where
  // another one moves past: within reach before that one's face, or what is between them could not
  // get out of the corner; and in it, where the node belongs to that in which it lies deepest, to
  // walls before colliders where it lies as deep in both, or each would bring it to its own
  // velocity in every step, and give the next one what that takes.
  FIRN_HD BoundaryType held_by(int h, const Vec<Real, D>& x, Real phi,
                               std::uint32_t block = kNoBlock) const {
    const BoundaryType type = type_of(h);
    if (type != BoundaryType::kSticky) return type;
    const bool goes_itself = h >= kFaces && goes(h - kFaces);
    const int holders = kFaces + params.collider_count;
    [[maybe_unused]] constexpr int kUnrolled = 1;  // normals are much code
    FIRN_UNROLL
    for (int other = params.walls.active ? 0 : kFaces; other < holders; ++other) {
      if (other == h || !holds_any(other) ||
          !(goes_itself || (other >= kFaces && goes(other - kFaces))))
        continue;
      if (block != kNoBlock && params.near != nullptr && other >= kFaces &&
          nearness(block, other - kFaces) == 0)
        continue;
      const Real deep = distance_from(other, x);
      if (deep > reach_of_kernel() + tolerance()) continue;
      if (is_in_body(deep)) {
        if (type_of(other) == BoundaryType::kSticky &&
            (deep < phi - tolerance() || (other < h && deep <= phi + tolerance())))
          return BoundaryType::kSlip;
        continue;
      }
      const Real passes = dot(velocity_of(h, x) - velocity_of(other, x), normal_of(other, x));
      if (abs(passes) * static_cast<Real>(control->dt) > Real(1e-6) * grid.dx)
        return BoundaryType::kSlip;
    }
    return type;
  }
  // `block` and `i`: the node's, at x.
  FIRN_HD void apply_walls(std::uint32_t block, std::uint32_t i, const Vec<Real, D>& x,
                           Vec<Real, D>& v) const {
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        const int face = 2 * a + side;
        if (!is_at_wall(x, face)) continue;
        const Vec<Real, D> normal = wall_normal_at(face, block, i, x);
        v = apply_boundary(type_at(held_by(face, x, distance_from(face, x), block), x, normal),
                           params.walls.friction[face], v,
                           Real(-1) * closing_speed_at_wall(face, block, i) * normal, normal);
      }
  }

  // Whether body c can touch a node of the block: its distance from the block's centre against the
  // half diagonal.
  FIRN_HD bool reaches(const Vec<int, D>& origin, int c) const {
    return gap_to(origin, c) <= Real(0);
  }
  // From body c to the ball around the nodes of the block, less the tolerance.
  FIRN_HD Real gap_to(const Vec<int, D>& origin, int c) const {
    constexpr Real half = Real(0.5) * (BlockTraits<D>::kSide - 1);
    Vec<Real, D> centre;
    for (int a = 0; a < D; ++a)
      centre[a] = (static_cast<Real>(origin[a] * BlockTraits<D>::kSide) + half) * grid.dx;
    const Real radius = half * grid.dx * sqrt(static_cast<Real>(D));
    return signed_distance<D>(params.colliders[c].program, to_body(params.poses[c], centre)) -
           (radius + tolerance());
  }

  // Over which normals are differences of distances.
  FIRN_HD Real normal_step() const { return Real(0.1) * grid.dx; }
  FIRN_HD bool is_moved(int c) const {
    return params.judged != nullptr && params.colliders[c].body >= 0;
  }
  FIRN_HD Real distance(int c, const Vec<Real, D>& x) const {
    return signed_distance<D>(params.colliders[c].program, to_body(params.poses[c], x));
  }
  FIRN_HD Vec<Real, D> normal_at(int c, const Vec<Real, D>& x) const {
    const RigidPose<Real>& pose = params.poses[c];
    return rotate_to_world(
        pose, sdf_normal<D>(params.colliders[c].program, to_body(pose, x), normal_step()));
  }
  // As FindSurfaces has found for this step: whether a collider may touch a node of the block, and
  // whether it may lie where the surface of the material is that such a node feels.
  static constexpr std::uint8_t kBeside = 1, kTouches = 2;
  FIRN_HD std::uint8_t nearness(std::uint32_t block, int c) const {
    return params.near[std::uint64_t{block} * params.collider_count + c];
  }
  FIRN_HD bool is_near(std::uint32_t block, int c) const { return nearness(block, c) == kTouches; }
  FIRN_HD Vec<Real, D>& surface_at(std::uint32_t block, std::uint32_t i) const {
    return params.surfaces[std::uint64_t{block} * kNodes + i];
  }
  // Where material that slides along a body is half way through a step, and how the body stands and
  // moves there: what goes at right angles to that normal ends where it began to lie against the
  // body, as on a chord. With what is true at the begin it would leave what is curved, and what
  // only turns would take along what rests.
  struct Slide {
    Vec<Real, D> normal, surface;  // surface: velocity, m/s
  };
  // Of collider c, which moves with `surface` at the node; `v`: the material's velocity;
  // `normal_of(place)`: normals as the step begins, `from` the place that the node looks at.
  template <class NormalOf>
  FIRN_HD Slide half_way(int c, const Vec<Real, D>& from, const Vec<Real, D>& v,
                         const Vec<Real, D>& surface, const NormalOf& normal_of) const {
    const Real half = Real(0.5) * static_cast<Real>(control->dt), least = Real(1e-5) * grid.dx;
    const bool stays = is_moved(c) || params.colliders[c].boundary == BoundaryType::kSticky;
    const Vec<Real, D> way = half * (v - surface);
    Vec<Real, D> normal = Vec<Real, D>::zero(), along = normal;
    [[maybe_unused]] constexpr int kUnrolled = 1;  // normals are much code
    FIRN_UNROLL
    for (int pass = 0; pass < 2; ++pass) {
      normal = normal_of(from + along);
      if (stays || pass == 1) break;
      along = way - dot(way, normal) * normal;
      if (!(norm_squared(along) > least * least)) break;
    }
    if (stays) return {normal, surface};
    return {half_turned(params.poses[c], normal, static_cast<Real>(control->dt)),
            surface + spin_across(params.poses[c], along)};
  }
  // How a collider acts on node i at x, which lies in it: along the normal that it has where the
  // surface of the material is, so that only those faces count that material lies before, and on
  // what comes closer than with `closing` m/s. A body that material moves does not act before that
  // surface has come to it: its normal is 0.
  struct Facing {
    Vec<Real, D> normal, surface;  // as of Slide
    Real closing;
  };
  FIRN_HD Facing facing(int c, std::uint32_t block, std::uint32_t i, const Vec<Real, D>& x,
                        const Vec<Real, D>& v, const Vec<Real, D>& moves) const {
    const ColliderShape<Real>& collider = params.colliders[c];
    if (!collider.by_surface) {
      const Slide slide =
          half_way(c, x, v, moves, [&](const Vec<Real, D>& at) { return normal_at(c, at); });
      return {slide.normal, slide.surface, Real(0)};
    }
    const Vec<Real, D> surface = surface_at(block, i), inside = within_walls(surface);
    const Real away = distance(c, inside);
    const Vec<Real, D> ahead = way_ahead(surface - x);
    const auto [normal, speed] = half_way(c, inside, v, moves, [&](const Vec<Real, D>& at) {
      return seen_normal(c, block, at, ahead);
    });
    if (!collider.minds_gaps) return {normal, speed, Real(0)};
    const Real gap = away - dot(normal, inside - surface);
    if (!is_moved(c)) return {normal, speed, closing_speed(gap)};
    return {gap > kGap * grid.dx ? Vec<Real, D>::zero() : normal, speed, Real(0)};
  }
  FIRN_HD bool lets_go(int c) const {
    return params.colliders[c].minds_gaps && params.colliders[c].by_surface && !is_moved(c);
  }
  // Whether collider c may hold nodes of the block: such as lie in it, or behind its face.
  FIRN_HD bool may_hold(std::uint32_t block, int c) const {
    return nearness(block, c) >= (lets_go(c) ? kBeside : kTouches);
  }
  // Whether a node outside of collider c belongs to it as well as to what holds it: where both let
  // go of material and meet, that lies before c's face and the node behind it. What is in the
  // corner could else go on along the joint, where nodes are held across it alone.
  FIRN_HD bool is_behind(int c, std::uint32_t block, std::uint32_t i, const Vec<Real, D>& x) const {
    if (!lets_go(c)) return false;
    bool held = false;
    for (int face = 0; params.walls.active && face < kFaces; ++face)
      held = held || (params.walls.minds_gap(face) && is_at_wall(x, face));
    for (int other = 0; !held && other < params.collider_count; ++other)
      held =
          other != c && is_near(block, other) && lets_go(other) && is_in_body(distance(other, x));
    if (!held) return false;
    const Vec<Real, D> surface = within_walls(surface_at(block, i));
    const Real away = distance(c, surface);
    return away >= -tolerance() && away <= reach_of_kernel() &&
           dot(normal_at(c, surface), x - surface) + away <= tolerance();
  }
  // A quarter of a cell on from the surface of the material, as seen from the node.
  FIRN_HD Vec<Real, D> way_ahead(const Vec<Real, D>& way) const {
    const Real length = norm(way);
    return length > tolerance() ? (kGap * grid.dx / length) * way : Vec<Real, D>::zero();
  }
  // Of collider c at the surface of the material, unless that shows a face aside of the way there:
  // a little ahead a corner shows the side on which the material lies, and what is flush with it
  // has no front.
  FIRN_HD Vec<Real, D> seen_normal(int c, std::uint32_t block, Vec<Real, D> at,
                                   const Vec<Real, D>& ahead) const {
    constexpr Real kAlong = Real(0.95);
    Vec<Real, D> normal = Vec<Real, D>::zero();
    [[maybe_unused]] constexpr int kUnrolled = 1;  // normals are much code
    FIRN_UNROLL
    for (int look = 0; look < 2; ++look) {
      normal = joint_normal(c, block, at, distance(c, at));
      if (dot(normal, ahead) >= kAlong * kGap * grid.dx || !(norm_squared(ahead) > Real(0))) break;
      at = within_walls(at + ahead);
    }
    return normal;
  }
  // Of a body that material moves, whose velocity is being solved for.
  FIRN_HD Facing facing_now(int c, std::uint32_t block, std::uint32_t i,
                            const Vec<Real, D>& x) const {
    return facing(c, block, i, x, Vec<Real, D>::zero(), Vec<Real, D>::zero());
  }
  // Walls have no inside where normals could be differences.
  FIRN_HD Vec<Real, D> within_walls(Vec<Real, D> at) const {
    const Real inside = 2 * normal_step();
    for (int a = 0; params.walls.active && a < D; ++a)
      at[a] = min(max(at[a], params.walls.min[a] + inside), params.walls.max[a] - inside);
    return at;
  }
  // Of a face that lies on another collider or wall, or behind it, the normal of both together:
  // seams of tiles, and what is let into a floor, are no steps. Where a face goes on along that
  // normal it is a wall of its own, on which the other one ends.
  FIRN_HD Vec<Real, D> joint_normal(int c, std::uint32_t block, const Vec<Real, D>& surface,
                                    Real away) const {
    const Real step = normal_step();
    const Vec<Real, D> normal = normal_at(c, surface), face = surface - away * normal;
    if (params.collider_count == 1 && !params.walls.active) return normal;
    const auto hides = [&](const Vec<Real, D>& joint) {
      return distance(c, face + (4 * step) * joint) > Real(3.6) * step;
    };
    // Not unrolled, as the distances in it are much code.
    [[maybe_unused]] constexpr int kUnrolled = 1;
    FIRN_UNROLL
    for (int side = 0; side < 2 * D; ++side) {
      Vec<Real, D> n;
      Real from = 0;
      for (int a = 0; a < D; ++a) {
        const bool along = a == side / 2;
        n[a] = along ? (side % 2 == 0 ? Real(1) : Real(-1)) : Real(0);
        if (along)
          from = n[a] * (face[a] - (side % 2 == 0 ? params.walls.min[a] : params.walls.max[a]));
      }
      if (params.walls.active && from <= step && hides(n)) return n;
    }
    int other = -1;
    Real least = 0;
    for (int o = 0; o < params.collider_count; ++o) {
      if (o == c || nearness(block, o) == 0 || distance(o, face) > step) continue;
      const Real d = distance(o, surface);
      if (other < 0 || d < least) other = o, least = d;
    }
    if (other < 0) return normal;
    const Vec<Real, D> joint = normal_of_both(c, other, surface);
    return hides(joint) ? joint : normal;
  }
  // Where a collider covers the part of a wall next to the surface of the material, the wall has
  // the normal of that.
  FIRN_HD Vec<Real, D> wall_normal_at(int face, std::uint32_t block, std::uint32_t i,
                                      const Vec<Real, D>& x) const {
    const Vec<Real, D> normal = wall_normal(face);
    for (int c = 0; params.surfaces != nullptr && c < params.collider_count; ++c) {
      if (!is_near(block, c) || !params.colliders[c].by_surface || !is_in_body(distance(c, x)))
        continue;
      const Vec<Real, D> surface = within_walls(surface_at(block, i));
      Vec<Real, D> foot = surface;
      foot[face / 2] = face % 2 == 0 ? params.walls.min[face / 2] : params.walls.max[face / 2];
      if (distance(c, foot) < -normal_step()) return normal_at(c, surface);
    }
    return normal;
  }
  // No direction, and so 0, where they are as far on all sides.
  FIRN_HD Vec<Real, D> normal_of_both(int c, int other, const Vec<Real, D>& x) const {
    Vec<Real, D> slope = Vec<Real, D>::zero();
    [[maybe_unused]] constexpr int kUnrolled = 1;  // as in sdf_normal
    FIRN_UNROLL
    for (int k = 0; k < 2 * D; ++k) {
      const Real side = k % 2 == 0 ? Real(1) : Real(-1);
      Vec<Real, D> beside = x;
      for (int a = 0; a < D; ++a) beside[a] += a == k / 2 ? side * normal_step() : Real(0);
      const Real nearest = side * min(distance(c, beside), distance(other, beside));
      for (int a = 0; a < D; ++a) slope[a] += a == k / 2 ? nearest : Real(0);
    }
    const Real length = norm(slope);
    return length > Real(0) ? (Real(1) / length) * slope : Vec<Real, D>::zero();
  }
  // A node in several of the bodies that material moves belongs to the one in which it lies
  // deepest, so that each of them can be solved for alone.
  FIRN_HD bool owns(std::uint32_t block, int c, const Vec<Real, D>& x, Real phi) const {
    for (int other = 0; other < params.collider_count; ++other) {
      if (other == c || !is_moved(other) || !is_near(block, other)) continue;
      const Real d = distance(other, x);
      if (d < phi || (d == phi && other < c)) return false;
    }
    return true;
  }
  FIRN_HD ContactShares<Real> shares_of(int c, const RigidPose<Real>& judged, const Vec<Real, D>& x,
                                        const Vec<Real, D>& v, const Vec<Real, D>& normal) const {
    const ColliderShape<Real>& collider = params.colliders[c];
    return contact_shares(collider.boundary, collider.friction, v, velocity_at(judged, x), normal);
  }
};

}  // namespace firn
