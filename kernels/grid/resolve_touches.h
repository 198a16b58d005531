// The impulses at touches (solid_contact.h), found by relaxation.
#pragma once

#include "kernels/grid/solids.h"

namespace firn {

// One group for all of them, as each impulse changes what the next one has to be.
template <int D, class Real>
struct ResolveTouches : Solids<D, Real> {
  static constexpr const char* kName = "resolve_touches";
  static constexpr int kThreads = 256;
  static constexpr std::uint32_t kParts = 256;
  // An impulse is passed on from touch to touch, and back: so many for each of them, within bounds,
  // and more in longer steps, in which gravity has given more that they must take.
  static constexpr std::uint32_t kFewestImpulses = 96, kImpulsesPerTouch = 16, kMostImpulses = 512;
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
    list_touching(g);
    const std::uint32_t n = g.scratch.count;
    const double of_touches = min(1.0 * kImpulsesPerTouch * n, 1.0 * kMostImpulses);
    const double longer = clamp(control->dt / kShortStep, 1.0, kMostLonger);
    const auto most = static_cast<std::uint32_t>(max(longer * of_touches, 1.0 * kFewestImpulses));
    if (solids.again == 0) {
      give_carried(g, n);
      throw_back(g, n, most);
    }
    relax(
        g, n, most, 0, [this](std::uint32_t i) { return need_of(i); },
        [this](std::uint32_t i) { push(i); });
  }

  // Gives impulses by `push`, where `need` is the greatest, until that makes nothing of a step, or
  // that share of what it was; how many there were.
  template <class Group, class Need, class Push>
  FIRN_HD std::uint32_t relax(Group& g, std::uint32_t n, std::uint32_t most, double share,
                              Need need, Push push) const {
    g.for_each(kParts, [&](std::uint32_t part) {
      for (std::uint32_t k = part; k < n; k += kParts)
        solids.touches[solids.touching[k]].need = need(solids.touching[k]);
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
        push(i);
        g.scratch.changed[0] = solids.body_of[i];
        g.scratch.changed[1] = this->body_of(solids.touches[i].holder);
      });
      g.sync();
      g.for_each(kParts, [&](std::uint32_t part) {
        for (std::uint32_t k = part; k < n; k += kParts) {
          const std::uint32_t i = solids.touching[k];
          if (is_of(i, g.scratch.changed)) solids.touches[i].need = need(i);
        }
      });
    }
    return most;
  }

  // Blows are passed on from body to body in rounds [Smith et al. 2012]: all that closes in is
  // thrown back at once, by which others may close in. What only rests on others is not part of it.
  template <class Group>
  FIRN_HD void throw_back(Group& g, std::uint32_t n, std::uint32_t most) const {
    for (std::uint32_t given = 0; given < most && find_blows(g, n);) {
      given += 1 + relax(
                       g, n, most - given, 1e-3, [this](std::uint32_t i) { return blow_left(i); },
                       [this](std::uint32_t i) { return_blow(i); });
      keep_energy(g, n);
    }
    g.for_each(kParts, [&](std::uint32_t part) {
      for (std::uint32_t k = part; k < n; k += kParts) {
        Touch& touch = solids.touches[solids.touching[k]];
        touch.pushed += touch.blow;
      }
    });
    g.sync();
  }
  // Impulses that have not been relaxed to the end may give more energy than was brought: so many
  // of them that what is lost is what the restitution says.
  template <class Group>
  FIRN_HD void keep_energy(Group& g, std::uint32_t n) const {
    const double asked = sum_over(g, n, [&](std::uint32_t i) {
      const Touch& touch = solids.touches[i];
      return (touch.blow - touch.before) * (touch.back + touch.closed);
    });
    const double found = sum_over(g, n, [&](std::uint32_t i) {
      const Touch& touch = solids.touches[i];
      return (touch.blow - touch.before) * (dot(touch.normal, relative(i, touch)) + touch.closed);
    });
    if (!(found > asked)) return;
    const double less = asked / found - 1;
    give_all(g, n, [&](const Touch& t) { return less * (t.blow - t.before) * t.normal; });
    g.for_each(kParts, [&](std::uint32_t part) {
      for (std::uint32_t k = part; k < n; k += kParts) {
        Touch& touch = solids.touches[solids.touching[k]];
        touch.blow += less * (touch.blow - touch.before);
      }
    });
    g.sync();
  }
  // Those that close in faster than gravity alone can have made them, and whether there are any.
  template <class Group>
  FIRN_HD bool find_blows(Group& g, std::uint32_t n) const {
    const double dt = control->dt, still = 4 * dt * norm(solids.moved.gravity) +
                                           1e-6 * static_cast<double>(solids.dx) / dt;
    g.for_each(kParts, [&](std::uint32_t part) {
      std::uint32_t of_part = 0;
      for (std::uint32_t k = part; k < n; k += kParts) {
        const std::uint32_t i = solids.touching[k];
        Touch& touch = solids.touches[i];
        const double closes = -dot(touch.normal, relative(i, touch));
        touch.before = touch.blow;
        touch.back = 0;
        if (!(touch.restitution > 0 && closes > still && touch.gap <= dt * closes)) continue;
        // Off what holds it goes with the speed at which it came here, without what gravity has
        // added in this step, and less what it takes away in the next: else it would rise higher
        // than it fell from.
        const double added =
            this->body_of(touch.holder) < 0 ? -dt * dot(touch.normal, solids.moved.gravity) : 0.0;
        touch.closed = closes;
        touch.back = touch.restitution * (closes - 2 * added);
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
  FIRN_HD double blow_left(std::uint32_t i) const {
    const Touch& touch = solids.touches[i];
    if (!(touch.back > 0)) return 0;
    const double short_by = touch.back - dot(touch.normal, relative(i, touch));
    return touch.blow > touch.before ? abs(short_by) : max(short_by, 0.0);
  }
  FIRN_HD void return_blow(std::uint32_t i) const {
    Touch& touch = solids.touches[i];
    const double short_by = touch.back - dot(touch.normal, relative(i, touch)),
                 blow = max(touch.blow + short_by / mobility(i, touch, touch.normal), touch.before);
    give(i, touch, (blow - touch.blow) * touch.normal);
    touch.blow = blow;
  }

  // What touches bring from the step before is given if that leaves less to do than nothing would,
  // or else in the share of it that leaves least: none, where bodies come off.
  template <class Group>
  FIRN_HD void give_carried(Group& g, std::uint32_t n) const {
    const auto impulse = [](const Touch& t) { return t.pushed * t.normal + t.rubbed; };
    // J, on what velocities are beyond those that are asked for.
    const auto work = [&](std::uint32_t i) {
      const Touch& touch = solids.touches[i];
      return touch.pushed > 0 ? dot(impulse(touch), relative(i, touch)) - touch.pushed * touch.least
                              : 0.0;
    };
    const double before = sum_over(g, n, work);
    give_all(g, n, impulse);
    const double after = sum_over(g, n, work);
    // Energy beyond the least there is: a parabola of the share.
    if (before + after < 0) return;
    const double share = after > before ? clamp(-before / (after - before), 0.0, 1.0) : 0.0;
    give_all(g, n, [&](const Touch& t) { return (share - 1) * impulse(t); });
    g.for_each(kParts, [&](std::uint32_t part) {
      for (std::uint32_t k = part; k < n; k += kParts) {
        Touch& touch = solids.touches[solids.touching[k]];
        touch.pushed *= share;
        touch.rubbed = share * touch.rubbed;
      }
    });
    g.sync();
  }
  template <class Group, class Value>
  FIRN_HD double sum_over(Group& g, std::uint32_t n, Value value) const {
    g.for_each(kParts, [&](std::uint32_t part) {
      double sum = 0;
      for (std::uint32_t k = part; k < n; k += kParts) sum += value(solids.touching[k]);
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
  FIRN_HD void give_all(Group& g, std::uint32_t n, Impulse impulse) const {
    g.for_each(kParts, [&](std::uint32_t part) {
      for (std::uint32_t k = 0; k < n; ++k) {
        const std::uint32_t i = solids.touching[k];
        const Touch& touch = solids.touches[i];
        const int body = solids.body_of[i], other = this->body_of(touch.holder);
        if (static_cast<std::uint32_t>(body) % kParts == part)
          take(body, touch.arm, impulse(touch));
        if (other >= 0 && static_cast<std::uint32_t>(other) % kParts == part)
          take(other, arm_of_other(i, touch, other), -impulse(touch));
      }
    });
    g.sync();
  }

  template <class Group>
  FIRN_HD void list_touching(Group& g) const {
    const auto for_each_of = [&](std::uint32_t part, auto&& f) {
      const std::uint64_t n = solids.count;
      const auto end = static_cast<std::uint32_t>(n * (part + 1) / kParts);
      for (auto i = static_cast<std::uint32_t>(n * part / kParts); i < end; ++i)
        if (solids.touches[i].holder >= 0) f(i);
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
      g.scratch.count = solids.touching[solids.count] = sum;
    });
    g.sync();
    g.for_each(kParts, [&](std::uint32_t part) {
      std::uint32_t* to = solids.touching + g.scratch.at[part];
      for_each_of(part, [&](std::uint32_t i) { *to++ = i; });
    });
    g.sync();
  }
  // The need and the touch of the worst to the first part; begins and ends with a barrier.
  template <class Group>
  FIRN_HD void find_worst(Group& g, std::uint32_t n) const {
    g.for_each(kParts, [&](std::uint32_t part) {
      double worst = 0;
      std::uint32_t at = part;
      for (std::uint32_t k = part; k < n; k += kParts)
        if (const std::uint32_t i = solids.touching[k]; solids.touches[i].need > worst)
          worst = solids.touches[i].need, at = i;
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
    const int body = solids.body_of[i], other = this->body_of(solids.touches[i].holder);
    return body == bodies[0] || other == bodies[0] ||
           (bodies[1] >= 0 && (body == bodies[1] || other == bodies[1]));
  }

  FIRN_HD Vec<double, 3> arm_of_other(std::uint32_t i, const Touch& touch, int other) const {
    return solids.moved.bodies[solids.body_of[i]].center + touch.arm -
           solids.moved.bodies[other].center;
  }
  FIRN_HD Vec<double, 3> relative(std::uint32_t i, const Touch& touch) const {
    const int body = solids.body_of[i], other = this->body_of(touch.holder);
    return this->velocity_at(body, touch.arm) -
           (other >= 0 ? this->velocity_at(other, arm_of_other(i, touch, other)) : touch.other);
  }
  FIRN_HD double need_of(std::uint32_t i) const {
    const Touch& touch = solids.touches[i];
    const Vec<double, 3> v = relative(i, touch);
    const double short_by = touch.least - dot(touch.normal, v);
    const double across = touch.pushed > 0 ? norm(rub(i, touch, v)) * weight(i, touch, v) : 0;
    return max(touch.pushed > touch.blow ? abs(short_by) : short_by, across);
  }
  // 1/kg: what a unit of impulse along a direction does to the velocity there along it.
  FIRN_HD double mobility(std::uint32_t i, const Touch& touch, const Vec<double, 3>& n) const {
    const int body = solids.body_of[i], other = this->body_of(touch.holder);
    double sum = mobility_of(body, touch.arm, n);
    if (other >= 0) sum += mobility_of(other, arm_of_other(i, touch, other), n);
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
    const double pushed =
        max(touch.pushed + short_by / mobility(i, touch, touch.normal), touch.blow);
    give(i, touch, (pushed - touch.pushed) * touch.normal);
    touch.pushed = pushed;
    const Vec<double, 3> rubs = rub(i, touch, relative(i, touch));
    give(i, touch, rubs);
    touch.rubbed += rubs;
  }
  FIRN_HD void give(std::uint32_t i, const Touch& touch, const Vec<double, 3>& impulse) const {
    const int body = solids.body_of[i], other = this->body_of(touch.holder);
    take(body, touch.arm, impulse);
    if (other >= 0) take(other, arm_of_other(i, touch, other), -impulse);
  }
  FIRN_HD void take(int body, const Vec<double, 3>& arm, const Vec<double, 3>& impulse) const {
    RigidBody& state = solids.moved.bodies[body];
    state.velocity += (1 / solids.moved.masses[body].mass) * impulse;
    state.spin += cross(arm, impulse);
  }
};

}  // namespace firn
