#pragma once

#include "kernels/grid/resolve_contacts.h"
#include "kernels/grid/solids.h"

namespace firn {

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
struct FindContacts : Solids<D, Real> {
  static constexpr const char* kName = "find_contacts";
  using Base = Solids<D, Real>;
  using Base::solids, Base::control, Base::kFaces;

  // What is within another is put out no faster than that: in so many seconds, or steps.
  static constexpr double kPushOutTime = 0.05, kPushOutSteps = 5;
  // m, by which what is in contact may be within the other.
  FIRN_HD double slop() const { return 0.01 * static_cast<double>(solids.dx); }

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    const int body = solids.body_of[i];
    const RigidBody& state = solids.moved.bodies[body];
    ContactPoint contact{};
    contact.holder = -1;
    contact.arm = rigid::rotation_of(state.orientation) *
                  (solids.points[i] - solids.moved.masses[body].center);
    double least = kLargest<double>;
    const Vec<double, 3> x = state.center + contact.arm;
    for (int holder = 0; holder < this->holders(); ++holder) {
      if (this->may_meet(body, holder) == 0) continue;
      const auto gap = static_cast<double>(this->distance(holder, x));
      if (gap < least) least = gap, contact.holder = holder;
    }
    const ContactPoint& before = solids.contacts[i];
    const bool is_same = contact.holder >= 0 && before.holder == contact.holder;
    if (contact.holder >= 0)
      meet(body, x, least, is_same && solids.applied && before.normal_impulse > 0, contact);
    contact.dt = control->dt;
    if (is_same && contact.holder >= 0)
      solids.applied ? keep_impulses(before, contact) : warm_start(before, contact);
    solids.contacts[i] = contact;
  }
  // What has been given may be taken back, but for what impacts were thrown back by.
  FIRN_HD static void keep_impulses(const ContactPoint& before, ContactPoint& contact) {
    contact.normal_impulse = before.normal_impulse;
    contact.friction_impulse = before.friction_impulse;
    contact.restitution_impulse = before.restitution_impulse;
  }
  // It begins with what it bore in the step before, as far as that may have been weight: an impact
  // is over.
  FIRN_HD void warm_start(const ContactPoint& before, ContactPoint& contact) const {
    if (!(before.normal_impulse > 0)) return;
    contact.normal_impulse =
        min(before.normal_impulse / before.dt, solids.total_weight) * contact.dt;
    const Vec<double, 3> across =
        before.friction_impulse - dot(contact.normal, before.friction_impulse) * contact.normal;
    const double most = contact.friction * contact.normal_impulse, length = norm(across),
                 share = contact.normal_impulse / before.normal_impulse;
    if (length > 0) contact.friction_impulse = (min(length * share, most) / length) * across;
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
      // Of faces that lie on each other, no point is the closest: which is would be chance.
      if (root == most && steep * most < slop()) break;
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
  // `stays`: however far away it is, for its impulses have been given.
  FIRN_HD void meet(int body, Vec<double, 3> x, double gap, bool stays,
                    ContactPoint& contact) const {
    const double dt = control->dt;
    if (gap <= static_cast<double>(solids.dx)) {
      x = closest(body, x, contact.holder, gap);
      contact.arm = x - solids.moved.bodies[body].center;
    }
    contact.normal = this->normal(contact.holder, x);
    const Vec<double, 3> theirs = this->surface_velocity(contact.holder, x);
    const int other = this->body_of(contact.holder);
    if (other < 0) contact.other_velocity = theirs;
    const double closes = -dot(contact.normal, this->velocity_at(body, contact.arm) - theirs);
    // Farther than that it cannot come to contact by what impulses do to it elsewhere.
    if (!stays && gap > dt * max(closes, 0.0) + static_cast<double>(solids.dx)) {
      contact.holder = -1;
      return;
    }
    const SolidProperties& own = solids.properties[body];
    contact.gap = gap;
    contact.restitution = own.restitution;
    contact.friction = own.friction;
    if (other >= 0) {
      contact.friction = 0.5 * (own.friction + solids.properties[other].friction);
      contact.restitution = min(own.restitution, solids.properties[other].restitution);
    }
    // What rounding makes of distances is no gap, or bodies at rest would follow it.
    if (gap > 0.01 * slop()) {
      contact.least_speed = -gap / dt;
    } else {
      contact.least_speed = max(-gap - slop(), 0.0) / max(kPushOutSteps * dt, kPushOutTime);
    }
  }
};

// What bodies do to a collider that material does not move, and what work it does by moving.
template <int D, class Real>
struct ReactToSolids : Solids<D, Real> {
  static constexpr const char* kName = "react_to_solids";
  using Base = Solids<D, Real>;
  using Base::solids, Base::kFaces;

  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t c) const {
    const int holder = kFaces + static_cast<int>(c);
    if (this->body_of(holder) >= 0) return;
    double* to = solids.impulses + std::uint64_t{c} * kReactionColumns;
    for (std::uint32_t k = 0; k < solids.active[solids.count]; ++k) {
      const std::uint32_t i = solids.active[k];
      const ContactPoint& contact = solids.contacts[i];
      if (contact.holder != holder || !(contact.normal_impulse > 0)) continue;
      const Vec<double, 3> on_body =
                               contact.normal_impulse * contact.normal + contact.friction_impulse,
                           x = solids.moved.bodies[solids.body_of[i]].center + contact.arm,
                           moment = cross(x, on_body);
      for (int a = 0; a < 3; ++a) {
        to[a] -= on_body[a];
        to[3 + a] -= moment[a];
      }
      to[kWork] += dot(on_body, contact.other_velocity);
    }
  }
};

struct FlushImpulses {
  static constexpr const char* kName = "flush_impulses";
  double *impulses, *sums;
  template <class Device>
  FIRN_HD void operator()(Device&, std::uint32_t i) const {
    sums[i] += impulses[i];
    impulses[i] = 0;
  }
};

template <class Exec, int D, class Real>
void resolve_solids(Exec& exec, const SolidContact<Real, D>& solids, const StepControl* control) {
  const auto moved = static_cast<std::uint32_t>(solids.params.moved),
             holders = static_cast<std::uint32_t>(2 * D + solids.params.collider_count);
  launch_items(exec, {{nullptr, moved * holders}, &control->stop},
               FindPairs<D, Real>{{solids, control}});
  launch_items(exec, {{nullptr, solids.count}, &control->stop},
               FindContacts<D, Real>{{solids, control}});
  launch_groups(exec, {{nullptr, 1}, &control->stop}, ResolveContacts<D, Real>{{solids, control}});
}

template <class Exec, int D, class Real>
void add_contact_reactions(Exec& exec, const SolidContact<Real, D>& solids, double* sums,
                           const StepControl* control) {
  const auto colliders = static_cast<std::uint32_t>(solids.params.collider_count);
  launch_items(exec, {{nullptr, colliders}, &control->stop},
               ReactToSolids<D, Real>{{solids, control}});
  launch_items(exec, {{nullptr, colliders * kReactionColumns}, &control->stop},
               FlushImpulses{solids.impulses, sums});
}

}  // namespace firn
