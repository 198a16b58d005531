#pragma once

#include "kernels/liquid/coupled_faces.h"
#include "kernels/mac/pressure_slope.h"
#include "kernels/transfer/mac.h"

namespace firn {

struct ClearNear {
  static constexpr const char* kName = "clear_near";
  std::uint32_t* near;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t block) const {
    near[block] = 0;
  }
};

template <int D, class Real>
struct OwnFaces : CoupledBlocks<D, Real> {
  static constexpr const char* kName = "own_faces";
  static constexpr int kThreads = 64;
  using Base = CoupledBlocks<D, Real>;
  using Base::bodies, Base::kCells;
  struct Scratch {};

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    const Vec<int, D> at = this->block_at(block);
    const bool any = has_boundary(bodies.mac, block);
    g.for_each(D * kCells, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(block, 0, i);
      const int axis = static_cast<int>(i / kCells);
      const Vec<int, D> local = local_of_node<D>(static_cast<int>(i % kCells));
      const int body =
          any && bodies.mac.area[face] < Real(1) ? body_at(block, at, local, axis) : -1;
      bodies.owner[face] = static_cast<std::int16_t>(body);
      if (body < 0) return;
      g.atomic_or(bodies.near[block], Base::bit_of(body));
      const CellAddress lower = cell_address<D>(bodies.mac, block, stepped<D>(local, axis, -1));
      if (lower.exists() && lower.block != block)
        g.atomic_or(bodies.near[lower.block], Base::bit_of(body));
    });
  }
  FIRN_HD int body_at(std::uint32_t block, const Vec<int, D>& at, const Vec<int, D>& local,
                      int axis) const {
    if (!is_wet<D>(bodies.mac, block, local, axis)) return -1;
    const BoundaryGeometry<D, Real> boundary = this->boundary();
    const int c = boundary.nearest(boundary.face_position(at, local, axis)).body;
    return c >= 0 ? bodies.params.colliders[c].body : -1;
  }
};

// What the liquid between the centre of the cell and the nearest point of the body adds to q there:
// by the slope of q, or before that is `found` at rest.
template <int D, class Real>
struct WeightBeforeBody {
  static constexpr const char* kName = "sum_weights";
  bool found;
  const StepControl* control;

  FIRN_HD double operator()(const BodyCoupling<Real, D>& bodies, int body, const CellAddress& cell,
                            int) const {
    const BoundaryGeometry<D, Real> boundary{bodies.params, bodies.grid};
    const Real dx = bodies.grid.dx;
    const Vec<Real, D> x =
        boundary.cell_position(block_of_key<D>(bodies.grid.keys[cell.block]), cell.cell);
    NearestBoundary<D, Real> wall;
    wall.body = 0;
    while (bodies.params.colliders[wall.body].body != body) ++wall.body;
    const Real distance = clamp(boundary.body_distance(x, wall.body), -dx, dx);
    const Vec<Real, D> n = boundary.own_normal(wall, x);
    double along = 0;
    if (found)
      for (int a = 0; a < D; ++a)
        along += static_cast<double>(n[a] * pressure_gradient<D>(bodies.mac, cell, a, dx));
    else
      along = control->dt * density(bodies.mac, cell) *
              static_cast<double>(dot(n, bodies.params.gravity));
    return -static_cast<double>(distance) * along;
  }
  // kg/m^D, of what its faces have.
  FIRN_HD static double density(const MacView<Real>& mac, const CellAddress& cell) {
    if (mac.specific_volume > Real(0)) return 1 / static_cast<double>(mac.specific_volume);
    double mass = 0, volume = 0;
    for (int a = 0; a < D; ++a)
      for (int side = 0; side < 2; ++side) {
        const CellAddress upper = side == 0 ? cell : cell_beside<D>(mac, cell, a, 1);
        if (!upper.exists()) continue;
        const Node<Real>& face = mac.faces[face_index<D>(upper.block, a, upper.cell)];
        mass += static_cast<double>(face[kFaceMass]);
        volume += static_cast<double>(face[kFaceVolume]);
      }
    return volume > 0 ? mass / volume : 0;
  }
};

template <int D, class Real>
struct FreeBodies : ResolveBodies<D, Real> {
  static constexpr const char* kName = "free_bodies";
  using Base = ResolveBodies<D, Real>;
  using Base::bodies;
  const StepControl* control;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t c) const {
    const int b = bodies.params.colliders[c].body;
    double* taken = bodies.impulses + std::uint64_t{c} * kReactionColumns;
    if (b >= 0) set_free(b, taken);
    for (int k = 0; k < kReactionColumns; ++k) taken[k] = 0;
  }
  FIRN_HD void set_free(int b, const double* taken) const {
    const RigidBody& body = bodies.moved.bodies[b];
    BodyMotion& motion = bodies.motions[b];
    motion.velocity = body.velocity;
    motion.spin = body.spin;
    this->total(static_cast<std::uint32_t>(b), motion.surface_impulse, motion.surface_moment);
    const Vec<double, 3> impulse = {{taken[0], taken[1], taken[2]}},
                         about_origin = {{taken[3], taken[4], taken[5]}};
    motion.moment = motion.surface_moment + about_origin - cross(body.center, impulse);
    const RigidVelocity without = bodies.moved.free_velocity(b, control->dt),
                        by_these = this->change(b, motion.surface_impulse + impulse, motion.moment);
    motion.free = {without.linear + by_these.linear, without.angular + by_these.angular};
  }
};

// The pressure's impulses, or nothing with `found` false, and the velocities by them.
template <int D, class Real>
struct PushBodies : ResolveBodies<D, Real> {
  static constexpr const char* kName = "push_bodies";
  using Base = ResolveBodies<D, Real>;
  using Base::bodies;
  bool found;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t c) const {
    const int b = bodies.params.colliders[c].body;
    if (b < 0) return;
    BodyMotion& motion = bodies.motions[b];
    RigidBody& body = bodies.moved.bodies[b];
    motion.now = motion.free;
    body.velocity = motion.velocity;
    body.spin = motion.spin;
    if (found) {
      Vec<double, 3> thrust, torque;
      this->total(static_cast<std::uint32_t>(b), thrust, torque);
      motion.change = this->change(b, thrust, torque);
      motion.now = {motion.free.linear + motion.change.linear,
                    motion.free.angular + motion.change.angular};
      body.velocity = motion.now.linear;
      body.spin += motion.moment + torque;
    }
    set_pose(bodies.params.poses[c], motion.now);
  }
  FIRN_HD static void set_pose(RigidPose<Real>& pose, const RigidVelocity& u) {
    pose.velocity = rigid::cast<Real>(u.linear);
    pose.angular_velocity = rigid::cast<Real>(u.angular);
  }
};

// Of what gravity and pressure give in a step: less than that is not worth another solve, nor is
// what rounding makes of a body's velocity.
inline constexpr double kLeastChange = 0.02, kRounding = 1e-9;
FIRN_HD inline bool is_worth_a_solve(const RigidMass& mass, const BodyMotion& motion,
                                     const RigidVelocity& more, double by_gravity) {
  const auto speed = [&](const RigidVelocity& u) {
    return norm(u.linear) + mass.radius * norm(u.angular);
  };
  return speed(more) >
         kLeastChange * (by_gravity + speed(motion.change)) + kRounding * speed(motion.now);
}

template <int D, class Real>
struct WeighBodies : ResolveBodies<D, Real> {
  static constexpr const char* kName = "weigh_bodies";
  using Base = ResolveBodies<D, Real>;
  using Base::bodies;
  std::uint32_t* changed;
  const StepControl* control;

  template <class Device>
  FIRN_HD void operator()(Device& device, std::uint32_t b) const {
    BodyMotion& motion = bodies.motions[b];
    Vec<double, 3> impulse, moment;
    this->total(b, impulse, moment);
    const RigidVelocity more = this->change(static_cast<int>(b), impulse - motion.surface_impulse,
                                            moment - motion.surface_moment);
    if (!is_worth_a_solve(bodies.moved.masses[b], motion, more,
                          control->dt * norm(bodies.moved.gravity)))
      return;
    motion.free = {motion.free.linear + more.linear, motion.free.angular + more.angular};
    motion.moment += moment - motion.surface_moment;
    motion.surface_impulse = impulse;
    motion.surface_moment = moment;
    device.atomic_or(*changed, 1u);
  }
};

template <int D, class Real>
struct HitBodies {
  static constexpr const char* kName = "hit_bodies";
  BodyCoupling<Real, D> bodies;
  std::uint32_t* changed;
  const StepControl* control;

  template <class Device>
  FIRN_HD void operator()(Device& device, std::uint32_t c) const {
    const int b = bodies.params.colliders[c].body;
    if (b < 0) return;
    BodyMotion& motion = bodies.motions[b];
    const RigidBody& body = bodies.moved.bodies[b];
    const RigidMass& mass = bodies.moved.masses[b];
    const RigidVelocity by{body.velocity - motion.now.linear,
                           rigid::angular_velocity(mass, body) - motion.now.angular};
    if (!(norm_squared(by.linear) + norm_squared(by.angular) > 0)) return;
    const Mat<double, 3> R = rigid::rotation_of(body.orientation);
    motion.moment += R * (mass.inertia * (transpose(R) * by.angular));
    motion.free = {motion.free.linear + by.linear, motion.free.angular + by.angular};
    motion.now = {motion.now.linear + by.linear, motion.now.angular + by.angular};
    PushBodies<D, Real>::set_pose(bodies.params.poses[c], motion.now);
    if (is_worth_a_solve(mass, motion, by, control->dt * norm(bodies.moved.gravity)))
      device.atomic_or(*changed, 1u);
  }
};

template <int D, class Real>
struct MoveFaces : CoupledBlocks<D, Real> {
  static constexpr const char* kName = "move_faces";
  static constexpr int kThreads = 64;
  using Base = CoupledBlocks<D, Real>;
  using Base::bodies, Base::kCells;
  struct Scratch {};

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    const std::uint32_t block = g.index();
    if (bodies.near[block] == 0) return;
    const Vec<int, D> at = this->block_at(block);
    g.for_each(D * kCells, [&](std::uint32_t i) {
      const std::uint64_t face = face_index<D>(block, 0, i);
      const int body = bodies.owner[face];
      if (body < 0) return;
      const int axis = static_cast<int>(i / kCells);
      const auto unit = Base::unit_at(
          this->arm_of(body, at, local_of_node<D>(static_cast<int>(i % kCells)), axis), axis);
      const double velocity = Base::dot_with(bodies.motions[body].now, unit);
      bodies.mac.faces[face].set(kFaceBoundaryVelocity, static_cast<Real>(velocity));
    });
  }
};

template <class Exec, int D, class Real>
void free_bodies(Exec& exec, const BodyCoupling<Real, D>& bodies, bool stressed,
                 std::uint32_t max_blocks, const StepControl* control) {
  const DeviceCount blocks{&control->n_blocks, max_blocks};
  const auto colliders = static_cast<std::uint32_t>(bodies.params.collider_count);
  launch_items(exec, {blocks, &control->stop}, ClearNear{bodies.near});
  launch_groups(exec, {blocks, &control->stop}, OwnFaces<D, Real>{{bodies}});
  sum_over_faces<D>(exec, bodies, WeightBeforeBody<D, Real>{false, control}, blocks,
                    &control->stop);
  if (stressed)
    add_columns(exec, bodies.params.reactions, blocks,
                static_cast<int>(colliders) * kReactionColumns, bodies.impulses, &control->stop);
  launch_items(exec, {{nullptr, colliders}, &control->stop},
               FreeBodies<D, Real>{{bodies}, control});
  launch_items(exec, {{nullptr, colliders}, &control->stop}, PushBodies<D, Real>{{bodies}, false});
}

template <class Exec, int D, class Real>
void push_bodies(Exec& exec, const BodyCoupling<Real, D>& bodies, bool found,
                 std::uint32_t max_blocks, const StepControl* control) {
  const DeviceCount blocks{&control->n_blocks, max_blocks};
  if (found)
    sum_over_faces<D>(exec, bodies, PressureOfCell<D, Real>{bodies.mac.pressure}, blocks,
                      &control->stop);
  launch_items(
      exec, {{nullptr, static_cast<std::uint32_t>(bodies.params.collider_count)}, &control->stop},
      PushBodies<D, Real>{{bodies}, found});
  launch_groups(exec, {blocks, &control->stop}, MoveFaces<D, Real>{{bodies}});
}

template <class Exec, int D, class Real>
void weigh_bodies(Exec& exec, const BodyCoupling<Real, D>& bodies, std::uint32_t* changed,
                  std::uint32_t max_blocks, const StepControl* control) {
  sum_over_faces<D>(exec, bodies, WeightBeforeBody<D, Real>{true, control},
                    {&control->n_blocks, max_blocks}, &control->stop);
  launch_items(exec, {{nullptr, static_cast<std::uint32_t>(bodies.params.moved)}, &control->stop},
               WeighBodies<D, Real>{{bodies}, changed, control});
}
template <class Exec, int D, class Real>
void hit_bodies(Exec& exec, const BodyCoupling<Real, D>& bodies, std::uint32_t* changed,
                std::uint32_t max_blocks, const StepControl* control) {
  launch_items(
      exec, {{nullptr, static_cast<std::uint32_t>(bodies.params.collider_count)}, &control->stop},
      HitBodies<D, Real>{bodies, changed, control});
  launch_groups(exec, {{&control->n_blocks, max_blocks}, &control->stop},
                MoveFaces<D, Real>{{bodies}});
}

}  // namespace firn
