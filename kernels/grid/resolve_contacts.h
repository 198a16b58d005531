// The impulses at contacts (solid_contact.h), found by relaxation.
#pragma once

#include "kernels/grid/solids.h"

namespace firn {

// One group for all of them, as each impulse changes what the next one has to be.
template <int D, class Real>
struct ResolveContacts : Solids<D, Real> {
  static constexpr const char* kName = "resolve_contacts";
  static constexpr int kThreads = 256;
  static constexpr std::uint32_t kParts = 256;
  // An impulse is passed on from contact to contact, and back: so many for each of them, within
  // bounds, and more in longer steps, in which gravity has given more that they must take.
  static constexpr double kFewestImpulses = 96, kImpulsesPerContact = 16, kMostImpulses = 512;
  static constexpr double kShortStep = 1e-3, kMostLonger = 8;  // s
  using Base = Solids<D, Real>;
  using Base::solids, Base::control;
  struct Scratch {
    double worst[kParts];
    std::uint32_t at[kParts];
    double sum;
    std::uint32_t count;
    int changed[2];  // bodies
  };

  template <class Group>
  FIRN_HD void operator()(Group& g) const {
    list_contacts(g);
    const std::uint32_t n = g.scratch.count;
    const double of_contacts = min(kImpulsesPerContact * n, kMostImpulses);
    const double longer = clamp(control->dt / kShortStep, 1.0, kMostLonger);
    const auto most = static_cast<std::uint32_t>(max(longer * of_contacts, kFewestImpulses));
    if (!solids.applied) {
      warm_start(g, n);
      propagate_impacts(g, n, most);
    }
    relax(
        g, n, most, 0, [this](std::uint32_t i) { return residual_of(i); },
        [this](std::uint32_t i) { correct(i); });
  }

  // Applies impulses by `correct`, where `residual` is the greatest, until that makes nothing of a
  // step, or that share of what it was; how many there were.
  template <class Group, class Residual, class Correct>
  FIRN_HD std::uint32_t relax(Group& g, std::uint32_t n, std::uint32_t most, double share,
                              Residual residual, Correct correct) const {
    g.for_each(kParts, [&](std::uint32_t part) {
      for (std::uint32_t k = part; k < n; k += kParts)
        solids.contacts[solids.active[k]].residual = residual(solids.active[k]);
    });
    double least = 1e-3 * control->dt * norm(solids.moved.gravity) +
                   1e-9 * static_cast<double>(solids.dx) / control->dt;
    for (std::uint32_t impulse = 0; impulse < most; ++impulse) {
      find_worst(g, n);
      if (impulse == 0) least = max(least, share * g.scratch.worst[0]);
      if (!(g.scratch.worst[0] > least)) {
        g.sync();  // what has been read here is written to by what follows
        return impulse;
      }
      g.once([&] {
        const std::uint32_t i = g.scratch.at[0];
        correct(i);
        g.scratch.changed[0] = solids.body_of[i];
        g.scratch.changed[1] = this->body_of(solids.contacts[i].holder);
      });
      g.sync();
      g.for_each(kParts, [&](std::uint32_t part) {
        for (std::uint32_t k = part; k < n; k += kParts) {
          const std::uint32_t i = solids.active[k];
          if (is_of(i, g.scratch.changed)) solids.contacts[i].residual = residual(i);
        }
      });
    }
    return most;
  }

  // Blows are passed on from body to body in rounds [Smith et al. 2012]: all that closes in is
  // thrown back at once, by which others may close in. What only rests on others is not part of it.
  template <class Group>
  FIRN_HD void propagate_impacts(Group& g, std::uint32_t n, std::uint32_t most) const {
    for (std::uint32_t given = 0; given < most && find_impacts(g, n);) {
      given +=
          1 + relax(
                  g, n, most - given, 1e-3, [this](std::uint32_t i) { return impact_residual(i); },
                  [this](std::uint32_t i) { apply_restitution(i); });
      limit_energy(g, n);
    }
    g.for_each(kParts, [&](std::uint32_t part) {
      for (std::uint32_t k = part; k < n; k += kParts) {
        ContactPoint& contact = solids.contacts[solids.active[k]];
        contact.normal_impulse += contact.restitution_impulse;
      }
    });
    g.sync();
  }
  // Impulses that have not been relaxed to the end may give more energy than was brought: so many
  // of them that what is lost is what the restitution says.
  template <class Group>
  FIRN_HD void limit_energy(Group& g, std::uint32_t n) const {
    const double asked = sum_over(g, n, [&](std::uint32_t i) {
      const ContactPoint& contact = solids.contacts[i];
      return (contact.restitution_impulse - contact.restitution_before) *
             (contact.rebound_speed + contact.approach_speed);
    });
    const double found = sum_over(g, n, [&](std::uint32_t i) {
      const ContactPoint& contact = solids.contacts[i];
      return (contact.restitution_impulse - contact.restitution_before) *
             (dot(contact.normal, relative(i, contact)) + contact.approach_speed);
    });
    if (!(found > asked)) return;
    const double less = asked / found - 1;
    apply_all(g, n, [&](const ContactPoint& t) {
      return less * (t.restitution_impulse - t.restitution_before) * t.normal;
    });
    g.for_each(kParts, [&](std::uint32_t part) {
      for (std::uint32_t k = part; k < n; k += kParts) {
        ContactPoint& contact = solids.contacts[solids.active[k]];
        contact.restitution_impulse +=
            less * (contact.restitution_impulse - contact.restitution_before);
      }
    });
    g.sync();
  }
  // Those that close in faster than gravity alone can have made them, and whether there are any.
  template <class Group>
  FIRN_HD bool find_impacts(Group& g, std::uint32_t n) const {
    const double dt = control->dt, still = 4 * dt * norm(solids.moved.gravity) +
                                           1e-6 * static_cast<double>(solids.dx) / dt;
    g.for_each(kParts, [&](std::uint32_t part) {
      std::uint32_t of_part = 0;
      for (std::uint32_t k = part; k < n; k += kParts) {
        const std::uint32_t i = solids.active[k];
        ContactPoint& contact = solids.contacts[i];
        const double closes = -dot(contact.normal, relative(i, contact));
        contact.restitution_before = contact.restitution_impulse;
        contact.rebound_speed = 0;
        if (!(contact.restitution > 0 && closes > still && contact.gap <= dt * closes)) continue;
        // Off what holds it goes with the speed at which it came here, without what gravity has
        // added in this step, and less what it takes away in the next: else it would rise higher
        // than it fell from.
        const double added = this->body_of(contact.holder) < 0
                                 ? -dt * dot(contact.normal, solids.moved.gravity)
                                 : 0.0;
        contact.approach_speed = closes;
        contact.rebound_speed = contact.restitution * (closes - 2 * added);
        ++of_part;
      }
      g.scratch.at[part] = of_part;
    });
    g.sync();
    g.once([&] {
      g.scratch.count = 0;
      for (std::uint32_t part = 0; part < kParts; ++part) g.scratch.count += g.scratch.at[part];
    });
    g.sync();
    return g.scratch.count > 0;
  }
  FIRN_HD double impact_residual(std::uint32_t i) const {
    const ContactPoint& contact = solids.contacts[i];
    if (!(contact.rebound_speed > 0)) return 0;
    const double short_by = contact.rebound_speed - dot(contact.normal, relative(i, contact));
    return contact.restitution_impulse > contact.restitution_before ? abs(short_by)
                                                                    : max(short_by, 0.0);
  }
  FIRN_HD void apply_restitution(std::uint32_t i) const {
    ContactPoint& contact = solids.contacts[i];
    const double short_by = contact.rebound_speed - dot(contact.normal, relative(i, contact)),
                 impulse = max(
                     contact.restitution_impulse + short_by / mobility(i, contact, contact.normal),
                     contact.restitution_before);
    apply(i, contact, (impulse - contact.restitution_impulse) * contact.normal);
    contact.restitution_impulse = impulse;
  }

  // What contacts bring from the step before is given if that leaves less to do than nothing would,
  // or else in the share of it that leaves least: none, where bodies come off.
  template <class Group>
  FIRN_HD void warm_start(Group& g, std::uint32_t n) const {
    const auto impulse = [](const ContactPoint& t) {
      return t.normal_impulse * t.normal + t.friction_impulse;
    };
    // J, on what velocities are beyond those that are asked for.
    const auto work = [&](std::uint32_t i) {
      const ContactPoint& contact = solids.contacts[i];
      return contact.normal_impulse > 0 ? dot(impulse(contact), relative(i, contact)) -
                                              contact.normal_impulse * contact.least_speed
                                        : 0.0;
    };
    const double before = sum_over(g, n, work);
    apply_all(g, n, impulse);
    const double after = sum_over(g, n, work);
    // Energy beyond the least there is: a parabola of the share.
    if (before + after < 0) return;
    const double share = after > before ? clamp(-before / (after - before), 0.0, 1.0) : 0.0;
    apply_all(g, n, [&](const ContactPoint& t) { return (share - 1) * impulse(t); });
    g.for_each(kParts, [&](std::uint32_t part) {
      for (std::uint32_t k = part; k < n; k += kParts) {
        ContactPoint& contact = solids.contacts[solids.active[k]];
        contact.normal_impulse *= share;
        contact.friction_impulse = share * contact.friction_impulse;
      }
    });
    g.sync();
  }
  template <class Group, class Value>
  FIRN_HD double sum_over(Group& g, std::uint32_t n, Value value) const {
    g.for_each(kParts, [&](std::uint32_t part) {
      double sum = 0;
      for (std::uint32_t k = part; k < n; k += kParts) sum += value(solids.active[k]);
      g.scratch.worst[part] = sum;
    });
    g.sync();
    g.once([&] {
      double sum = 0;
      for (std::uint32_t part = 0; part < kParts; ++part) sum += g.scratch.worst[part];
      g.scratch.sum = sum;
    });
    g.sync();
    return g.scratch.sum;
  }
  // By bodies, each of which takes the impulses in the same order.
  template <class Group, class Impulse>
  FIRN_HD void apply_all(Group& g, std::uint32_t n, Impulse impulse) const {
    const auto moved = static_cast<std::uint32_t>(solids.params.moved),
               parts = moved < kParts ? moved : kParts;
    g.for_each(parts, [&](std::uint32_t part) {
      for (std::uint32_t k = 0; k < n; ++k) {
        const std::uint32_t i = solids.active[k];
        const ContactPoint& contact = solids.contacts[i];
        const int body = solids.body_of[i], other = this->body_of(contact.holder);
        if (static_cast<std::uint32_t>(body) % parts == part)
          apply_to(body, contact.arm, impulse(contact));
        if (other >= 0 && static_cast<std::uint32_t>(other) % parts == part)
          apply_to(other, arm_of_other(i, contact, other), -impulse(contact));
      }
    });
    g.sync();
  }

  template <class Group>
  FIRN_HD void list_contacts(Group& g) const {
    const auto for_each_of = [&](std::uint32_t part, auto&& f) {
      const std::uint64_t n = solids.count;
      const auto end = static_cast<std::uint32_t>(n * (part + 1) / kParts);
      for (auto i = static_cast<std::uint32_t>(n * part / kParts); i < end; ++i)
        if (solids.contacts[i].holder >= 0) f(i);
    };
    g.for_each(kParts, [&](std::uint32_t part) {
      std::uint32_t of_part = 0;
      for_each_of(part, [&](std::uint32_t) { ++of_part; });
      g.scratch.at[part] = of_part;
    });
    g.sync();
    g.once([&] {
      std::uint32_t sum = 0;
      for (std::uint32_t part = 0; part < kParts; ++part) {
        const std::uint32_t of_part = g.scratch.at[part];
        g.scratch.at[part] = sum;
        sum += of_part;
      }
      g.scratch.count = solids.active[solids.count] = sum;
    });
    g.sync();
    g.for_each(kParts, [&](std::uint32_t part) {
      std::uint32_t* to = solids.active + g.scratch.at[part];
      for_each_of(part, [&](std::uint32_t i) { *to++ = i; });
    });
    g.sync();
  }
  // The residual and the contact of the worst to the first part; begins and ends with a barrier.
  template <class Group>
  FIRN_HD void find_worst(Group& g, std::uint32_t n) const {
    g.for_each(kParts, [&](std::uint32_t part) {
      double worst = 0;
      std::uint32_t at = part;
      for (std::uint32_t k = part; k < n; k += kParts)
        if (const std::uint32_t i = solids.active[k]; solids.contacts[i].residual > worst)
          worst = solids.contacts[i].residual, at = i;
      g.scratch.worst[part] = worst;
      g.scratch.at[part] = at;
    });
    for (std::uint32_t half = kParts / 2; half > 0; half /= 2) {
      g.sync();
      g.for_each(half, [&](std::uint32_t part) {
        const bool further = g.scratch.worst[part + half] > g.scratch.worst[part] ||
                             (g.scratch.worst[part + half] == g.scratch.worst[part] &&
                              g.scratch.at[part + half] < g.scratch.at[part]);
        if (!further) return;
        g.scratch.worst[part] = g.scratch.worst[part + half];
        g.scratch.at[part] = g.scratch.at[part + half];
      });
    }
    g.sync();
  }
  FIRN_HD bool is_of(std::uint32_t i, const int* bodies) const {
    const int body = solids.body_of[i], other = this->body_of(solids.contacts[i].holder);
    return body == bodies[0] || other == bodies[0] ||
           (bodies[1] >= 0 && (body == bodies[1] || other == bodies[1]));
  }

  FIRN_HD Vec<double, 3> arm_of_other(std::uint32_t i, const ContactPoint& contact,
                                      int other) const {
    return solids.moved.bodies[solids.body_of[i]].center + contact.arm -
           solids.moved.bodies[other].center;
  }
  FIRN_HD Vec<double, 3> relative(std::uint32_t i, const ContactPoint& contact) const {
    const int body = solids.body_of[i], other = this->body_of(contact.holder);
    return this->velocity_at(body, contact.arm) -
           (other >= 0 ? this->velocity_at(other, arm_of_other(i, contact, other))
                       : contact.other_velocity);
  }
  FIRN_HD double residual_of(std::uint32_t i) const {
    const ContactPoint& contact = solids.contacts[i];
    const Vec<double, 3> v = relative(i, contact);
    const double short_by = contact.least_speed - dot(contact.normal, v);
    double across = 0;
    if (contact.normal_impulse > 0) {
      const Slide slide = slide_of(i, contact, v);
      across = norm(friction_missing(contact, slide)) * slide.mobility;
    }
    const bool may_be_less = contact.normal_impulse > contact.restitution_impulse;
    return max(may_be_less ? abs(short_by) : short_by, across);
  }
  // 1/kg: what a unit of impulse along a direction does to the velocity there along it.
  FIRN_HD double mobility(std::uint32_t i, const ContactPoint& contact,
                          const Vec<double, 3>& n) const {
    const int body = solids.body_of[i], other = this->body_of(contact.holder);
    double sum = mobility_of(body, contact.arm, n);
    if (other >= 0) sum += mobility_of(other, arm_of_other(i, contact, other), n);
    return sum;
  }
  FIRN_HD double mobility_of(int body, const Vec<double, 3>& arm, const Vec<double, 3>& n) const {
    const RigidMass& mass = solids.moved.masses[body];
    const Mat<double, 3> R = rigid::rotation_of(solids.moved.bodies[body].orientation);
    const Vec<double, 3> turn = transpose(R) * cross(arm, n);
    return 1 / mass.mass + dot(turn, mass.inverse_inertia * turn);
  }
  // How a contact slides: m/s, across the normal, and 1/kg of that direction; 0 where it does not.
  struct Slide {
    Vec<double, 3> velocity;
    double mobility;
  };
  FIRN_HD Slide slide_of(std::uint32_t i, const ContactPoint& contact,
                         const Vec<double, 3>& v) const {
    const Vec<double, 3> across = v - dot(contact.normal, v) * contact.normal;
    const double speed = norm(across);
    return {across, speed > 0 ? mobility(i, contact, (1 / speed) * across) : 0};
  }
  // N s: what friction lacks that would hold it, within Coulomb's cone.
  FIRN_HD static Vec<double, 3> friction_missing(const ContactPoint& contact, const Slide& slide) {
    if (!(slide.mobility > 0)) return Vec<double, 3>::zero();
    Vec<double, 3> friction = contact.friction_impulse - (1 / slide.mobility) * slide.velocity;
    const double most = contact.friction * contact.normal_impulse, length = norm(friction);
    if (length > most) friction = (most / length) * friction;
    return friction - contact.friction_impulse;
  }
  FIRN_HD void correct(std::uint32_t i) const {
    ContactPoint& contact = solids.contacts[i];
    const double short_by = contact.least_speed - dot(contact.normal, relative(i, contact));
    const double normal =
        max(contact.normal_impulse + short_by / mobility(i, contact, contact.normal),
            contact.restitution_impulse);
    apply(i, contact, (normal - contact.normal_impulse) * contact.normal);
    contact.normal_impulse = normal;
    const Vec<double, 3> friction =
        friction_missing(contact, slide_of(i, contact, relative(i, contact)));
    apply(i, contact, friction);
    contact.friction_impulse += friction;
  }
  FIRN_HD void apply(std::uint32_t i, const ContactPoint& contact,
                     const Vec<double, 3>& impulse) const {
    const int body = solids.body_of[i], other = this->body_of(contact.holder);
    apply_to(body, contact.arm, impulse);
    if (other >= 0) apply_to(other, arm_of_other(i, contact, other), -impulse);
  }
  FIRN_HD void apply_to(int body, const Vec<double, 3>& arm, const Vec<double, 3>& impulse) const {
    RigidBody& state = solids.moved.bodies[body];
    state.velocity += (1 / solids.moved.masses[body].mass) * impulse;
    state.spin += cross(arm, impulse);
  }
};

}  // namespace firn
