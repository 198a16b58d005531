#pragma once

#include "kernels/grid/solid_contact.h"

namespace firn {

template <int D, class Real>
struct Solids {
  SolidContact<Real, D> solids;
  const StepControl* control;
  static constexpr int kFaces = 2 * D;

  FIRN_HD int holders() const { return kFaces + solids.params.collider_count; }
  FIRN_HD std::uint32_t& may_meet(int body, int holder) const {
    return solids.pairs[static_cast<std::uint64_t>(body) * static_cast<std::uint64_t>(holders()) +
                        static_cast<std::uint64_t>(holder)];
  }
  // The body that a holder is, or -1.
  FIRN_HD int body_of(int holder) const {
    return holder < kFaces ? -1 : solids.params.colliders[holder - kFaces].body;
  }
  FIRN_HD Vec<double, 3> angular_velocity(int body) const {
    return rigid::angular_velocity(solids.moved.masses[body], solids.moved.bodies[body]);
  }
  FIRN_HD Vec<double, 3> velocity_at(int body, const Vec<double, 3>& arm) const {
    return solids.moved.bodies[body].velocity + cross(angular_velocity(body), arm);
  }
  FIRN_HD static Vec<Real, D> point(const Vec<double, 3>& x) {
    return rigid::from_3d<D>(rigid::cast<Real>(x));
  }
  FIRN_HD Real distance(int holder, const Vec<double, 3>& x) const {
    const Vec<Real, D> at = point(x);
    if (holder < kFaces) {
      const DomainWalls<Real, D>& walls = solids.params.walls;
      const int a = holder / 2;
      return holder % 2 == 0 ? at[a] - walls.min[a] : walls.max[a] - at[a];
    }
    const int c = holder - kFaces;
    return signed_distance<D>(solids.params.colliders[c].program,
                              to_body(solids.params.poses[c], at));
  }
  FIRN_HD Vec<double, 3> normal(int holder, const Vec<double, 3>& x) const {
    Vec<double, 3> n = Vec<double, 3>::zero();
    if (holder < kFaces) {
      n[holder / 2] = holder % 2 == 0 ? 1 : -1;
      return n;
    }
    const RigidPose<Real>& pose = solids.params.poses[holder - kFaces];
    const Vec<Real, D> of =
        rotate_to_world(pose, sdf_normal<D>(solids.params.colliders[holder - kFaces].program,
                                            to_body(pose, point(x)), Real(0.1) * solids.dx));
    for (int a = 0; a < D; ++a) n[a] = static_cast<double>(of[a]);
    return n;
  }
  FIRN_HD Vec<double, 3> surface_velocity(int holder, const Vec<double, 3>& x) const {
    if (holder < kFaces) return Vec<double, 3>::zero();
    if (const int body = body_of(holder); body >= 0)
      return velocity_at(body, x - solids.moved.bodies[body].center);
    const Vec<Real, D> v = firn::surface_velocity(solids.params.colliders[holder - kFaces],
                                                  solids.params.poses[holder - kFaces], point(x));
    Vec<double, 3> velocity = Vec<double, 3>::zero();
    for (int a = 0; a < D; ++a) velocity[a] = static_cast<double>(v[a]);
    return velocity;
  }
};

// Which bodies may meet what within the step, by the balls around them.
template <int D, class Real>
struct FindPairs : Solids<D, Real> {
  static constexpr const char* kName = "find_pairs";
  using Base = Solids<D, Real>;
  using Base::solids, Base::control, Base::kFaces;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    const int body = static_cast<int>(i) / this->holders(),
              holder = static_cast<int>(i) % this->holders();
    this->may_meet(body, holder) = meets(body, holder) ? 1 : 0;
  }
  FIRN_HD bool meets(int body, int holder) const {
    if (solids.properties[body].collides == 0 || this->body_of(holder) == body) return false;
    if (holder < kFaces) {
      const BoundaryType type = solids.params.walls.boundary[holder];
      if (!solids.params.walls.active || type == BoundaryType::kOpen ||
          type == BoundaryType::kPeriodic)
        return false;
    } else if (const int other = this->body_of(holder);
               other >= 0 && solids.properties[other].collides == 0) {
      return false;
    }
    const Vec<double, 3> center = solids.moved.bodies[body].center;
    const double radius = solids.moved.masses[body].radius;
    const double closing = speed(body) + speed_of(holder, center, radius);
    return static_cast<double>(this->distance(holder, center)) <=
           radius + control->dt * closing + static_cast<double>(solids.dx);
  }
  FIRN_HD double speed(int body) const {
    return norm(solids.moved.bodies[body].velocity) +
           norm(this->angular_velocity(body)) * solids.moved.masses[body].radius;
  }
  FIRN_HD double speed_of(int holder, const Vec<double, 3>& center, double radius) const {
    if (holder < kFaces) return 0;
    if (const int other = this->body_of(holder); other >= 0) return speed(other);
    const auto spin = solids.params.poses[holder - kFaces].angular_velocity;
    return norm(this->surface_velocity(holder, center)) + static_cast<double>(norm(spin)) * radius;
  }
};

template <int D, class Real>
struct FindTouches : Solids<D, Real> {
  static constexpr const char* kName = "find_touches";
  using Base = Solids<D, Real>;
  using Base::solids, Base::control, Base::kFaces;

  // What is within another is put out no faster than that: in so many seconds, or steps.
  static constexpr double kTimeOut = 0.05, kStepsOut = 5;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    const int body = solids.body_of[i];
    const RigidBody& state = solids.moved.bodies[body];
    Touch touch{};
    touch.holder = -1;
    touch.arm = rigid::rotation_of(state.orientation) *
                (solids.points[i] - solids.moved.masses[body].center);
    double least = kLargest<double>;
    const Vec<double, 3> x = state.center + touch.arm;
    for (int holder = 0; holder < this->holders(); ++holder) {
      if (this->may_meet(body, holder) == 0) continue;
      const auto gap = static_cast<double>(this->distance(holder, x));
      if (gap < least) least = gap, touch.holder = holder;
    }
    if (touch.holder >= 0) meet(body, x, least, touch);
    solids.touches[i] = touch;
  }
  // From one of its points along the surface of the body to where that comes closest, or a ball
  // would roll as a polygon does: there the normal of what it comes to has no part along the
  // surface, which is found as a root. `gap`: there.
  FIRN_HD Vec<double, 3> closest(int body, Vec<double, 3> x, int holder, double& gap) const {
    constexpr int kRounds = 4;
    int own = kFaces;
    while (this->body_of(own) != body) ++own;
    const double most = 2 * solids.properties[body].spacing;
    double way = 0.25 * most;
    [[maybe_unused]] constexpr int kUnrolled = 1;  // distances are much code
    FIRN_UNROLL
    for (int k = 0; k < kRounds; ++k) {
      const Vec<double, 3> slope = along_surface(own, x, holder);
      const double steep = norm(slope);
      if (!(steep > 1e-4)) break;
      const Vec<double, 3> towards = (1 / steep) * slope;
      const double then = dot(along_surface(own, moved(own, x, way * towards), holder), towards);
      const double root = steep > then ? min(way * steep / (steep - then), most) : most;
      const Vec<double, 3> on = moved(own, x, root * towards);
      const auto there = static_cast<double>(this->distance(holder, on));
      if (!(there < gap)) break;
      x = on, gap = there;
      way = 0.25 * root;
    }
    return x;
  }
  FIRN_HD Vec<double, 3> along_surface(int own, const Vec<double, 3>& x, int holder) const {
    const Vec<double, 3> along = this->normal(holder, x), out = this->normal(own, x);
    return dot(along, out) * out - along;
  }
  FIRN_HD Vec<double, 3> moved(int own, const Vec<double, 3>& x, const Vec<double, 3>& way) const {
    const Vec<double, 3> on = x + way;
    return on - static_cast<double>(this->distance(own, on)) * this->normal(own, on);
  }
  FIRN_HD void meet(int body, Vec<double, 3> x, double gap, Touch& touch) const {
    const double dt = control->dt;
    if (gap <= static_cast<double>(solids.dx)) {
      x = closest(body, x, touch.holder, gap);
      touch.arm = x - solids.moved.bodies[body].center;
    }
    touch.normal = this->normal(touch.holder, x);
    const Vec<double, 3> theirs = this->surface_velocity(touch.holder, x);
    const int other = this->body_of(touch.holder);
    if (other < 0) touch.other = theirs;
    const double closes = -dot(touch.normal, this->velocity_at(body, touch.arm) - theirs);
    // Farther than that it cannot come to touch by what impulses do to it elsewhere.
    if (gap > dt * max(closes, 0.0) + static_cast<double>(solids.dx)) {
      touch.holder = -1;
      return;
    }
    const SolidProperties& own = solids.properties[body];
    double bounce = own.restitution;
    touch.friction = own.friction;
    if (other >= 0) {
      touch.friction = 0.5 * (own.friction + solids.properties[other].friction);
      bounce = min(bounce, solids.properties[other].restitution);
    }
    if (gap > 0) {
      touch.least = -gap / dt;
    } else {
      const double slop = 0.01 * static_cast<double>(solids.dx);
      touch.least = max(-gap - slop, 0.0) / max(kStepsOut * dt, kTimeOut);
    }
    // What gravity alone has given it within a few steps is no blow.
    const double still = 4 * dt * norm(solids.moved.gravity);
    if (closes > still && gap <= dt * closes) touch.least = max(touch.least, bounce * closes);
  }
};

// One group for all of them, as each impulse changes what the next one has to be.
template <int D, class Real>
struct ResolveTouches : Solids<D, Real> {
  static constexpr const char* kName = "resolve_touches";
  static constexpr int kThreads = 256;
  static constexpr std::uint32_t kParts = 256;
  static constexpr int kMostImpulses = 96;
  using Base = Solids<D, Real>;
  using Base::solids, Base::control;
  struct Scratch {
    double worst[kParts];
    std::uint32_t at[kParts];
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    // Speeds that make nothing of a step.
    const double least = 1e-3 * control->dt * norm(solids.moved.gravity) +
                         1e-9 * static_cast<double>(solids.dx) / control->dt;
    for (int k = 0; k < kMostImpulses; ++k) {
      g.for_each(kParts, [&](std::uint32_t part) {
        double worst = 0;
        std::uint32_t at = part;
        for (std::uint32_t i = part; i < solids.count; i += kParts)
          if (const double need = need_of(i); need > worst) worst = need, at = i;
        g.scratch.worst[part] = worst;
        g.scratch.at[part] = at;
      });
      for (std::uint32_t n = kParts / 2; n > 0; n /= 2) {
        g.sync();
        g.for_each(n, [&](std::uint32_t part) {
          const bool further = g.scratch.worst[part + n] > g.scratch.worst[part] ||
                               (g.scratch.worst[part + n] == g.scratch.worst[part] &&
                                g.scratch.at[part + n] < g.scratch.at[part]);
          if (!further) return;
          g.scratch.worst[part] = g.scratch.worst[part + n];
          g.scratch.at[part] = g.scratch.at[part + n];
        });
      }
      g.sync();
      if (!(g.scratch.worst[0] > least)) return;
      g.once([&] { push(g.scratch.at[0]); });
      g.sync();
    }
  }

  FIRN_HD Vec<double, 3> relative(std::uint32_t i, const Touch& touch) const {
    const int body = solids.body_of[i], other = this->body_of(touch.holder);
    const Vec<double, 3> x = solids.moved.bodies[body].center + touch.arm;
    return this->velocity_at(body, touch.arm) -
           (other >= 0 ? this->velocity_at(other, x - solids.moved.bodies[other].center)
                       : touch.other);
  }
  // By how much the velocity there has to change.
  FIRN_HD double need_of(std::uint32_t i) const {
    const Touch& touch = solids.touches[i];
    if (touch.holder < 0) return 0;
    const Vec<double, 3> v = relative(i, touch);
    const double short_by = touch.least - dot(touch.normal, v);
    if (!(touch.pushed > 0)) return max(short_by, 0.0);
    return max(abs(short_by), norm(rub(i, touch, v)) * weight(i, touch, v));
  }
  // 1/kg: what a unit of impulse along a direction does to the velocity there along it.
  FIRN_HD double mobility(std::uint32_t i, const Touch& touch, const Vec<double, 3>& n) const {
    const int body = solids.body_of[i], other = this->body_of(touch.holder);
    double sum = mobility_of(body, touch.arm, n);
    if (other >= 0)
      sum += mobility_of(
          other, solids.moved.bodies[body].center + touch.arm - solids.moved.bodies[other].center,
          n);
    return sum;
  }
  FIRN_HD double mobility_of(int body, const Vec<double, 3>& arm, const Vec<double, 3>& n) const {
    const RigidMass& mass = solids.moved.masses[body];
    const Mat<double, 3> R = rigid::rotation_of(solids.moved.bodies[body].orientation);
    const Vec<double, 3> turn = transpose(R) * cross(arm, n);
    return 1 / mass.mass + dot(turn, mass.inverse_inertia * turn);
  }
  FIRN_HD static Vec<double, 3> across(const Touch& touch, const Vec<double, 3>& v) {
    return v - dot(touch.normal, v) * touch.normal;
  }
  FIRN_HD double weight(std::uint32_t i, const Touch& touch, const Vec<double, 3>& v) const {
    const Vec<double, 3> slides = across(touch, v);
    const double speed = norm(slides);
    return speed > 0 ? mobility(i, touch, (1 / speed) * slides) : 0;
  }
  // The impulse across the normal that is missing, N s.
  FIRN_HD Vec<double, 3> rub(std::uint32_t i, const Touch& touch, const Vec<double, 3>& v) const {
    const Vec<double, 3> slides = across(touch, v);
    const double speed = norm(slides);
    if (!(speed > 0)) return Vec<double, 3>::zero();
    Vec<double, 3> rubbed = touch.rubbed - (1 / mobility(i, touch, (1 / speed) * slides)) * slides;
    const double most = touch.friction * touch.pushed, length = norm(rubbed);
    if (length > most) rubbed = (most / length) * rubbed;
    return rubbed - touch.rubbed;
  }
  FIRN_HD void push(std::uint32_t i) const {
    Touch& touch = solids.touches[i];
    const double short_by = touch.least - dot(touch.normal, relative(i, touch));
    const double pushed = max(touch.pushed + short_by / mobility(i, touch, touch.normal), 0.0);
    give(i, touch, (pushed - touch.pushed) * touch.normal);
    touch.pushed = pushed;
    const Vec<double, 3> rubs = rub(i, touch, relative(i, touch));
    give(i, touch, rubs);
    touch.rubbed += rubs;
  }
  FIRN_HD void give(std::uint32_t i, const Touch& touch, const Vec<double, 3>& impulse) const {
    const int body = solids.body_of[i], other = this->body_of(touch.holder);
    take(body, touch.arm, impulse);
    if (other >= 0)
      take(other, solids.moved.bodies[body].center + touch.arm - solids.moved.bodies[other].center,
           -impulse);
  }
  FIRN_HD void take(int body, const Vec<double, 3>& arm, const Vec<double, 3>& impulse) const {
    RigidBody& state = solids.moved.bodies[body];
    state.velocity += (1 / solids.moved.masses[body].mass) * impulse;
    state.spin += cross(arm, impulse);
  }
};

template <class Exec, int D, class Real>
void resolve_solids(Exec& exec, const SolidContact<Real, D>& solids, const StepControl* control) {
  const auto moved = static_cast<std::uint32_t>(solids.params.moved),
             holders = static_cast<std::uint32_t>(2 * D + solids.params.collider_count);
  launch_items(exec, {{nullptr, moved * holders}, &control->stop},
               FindPairs<D, Real>{{solids, control}});
  launch_items(exec, {{nullptr, solids.count}, &control->stop},
               FindTouches<D, Real>{{solids, control}});
  launch_groups(exec, {{nullptr, 1}, &control->stop}, ResolveTouches<D, Real>{{solids, control}});
}

}  // namespace firn
