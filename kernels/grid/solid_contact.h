// Bodies that material moves meet the walls of the domain, other colliders, and each other. Points
// on the surface of every body look for what they come to within the step, and impulses at them are
// found by relaxation, the worst point first [Moreau 1988]:
// a point comes no closer than its gap allows, is pushed and never pulled, and rubs as Coulomb
// says.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/grid/pose_colliders.h"

namespace firn {

// What of a body counts where it meets another.
struct SolidProperties {
  double friction, restitution;
  double spacing;  // of its points, m
  std::uint32_t collides;
};

// A point on the surface of a body, and what it comes to within the step.
struct ContactPoint {
  Vec<double, 3> arm;             // of the point from the centre of its body, m
  Vec<double, 3> normal;          // of what it comes to
  Vec<double, 3> other_velocity;  // of that, where material does not move it, m/s
  double gap;                     // m, negative: within what it comes to
  double least_speed;             // m/s along the normal; negative: it may come closer
  double friction, restitution;
  // m/s along the normal: of an impact, and what its restitution asks for in return.
  double approach_speed, rebound_speed;
  // N s, the part of normal_impulse that impacts are thrown back by, and that before this round.
  double restitution_impulse, restitution_before;
  double normal_impulse;            // N s, on its body
  Vec<double, 3> friction_impulse;  // N s, across the normal
  double residual;                  // m/s, by how much the velocity there has to change
  double dt;                        // s, of the step that the impulses are of
  std::int32_t holder;  // in the order of the domain's faces, then the colliders; -1: none
};

// Of a contact, what the next step begins with (warm starting): where bodies rest on each other,
// its impulses are nearly those of the step before, from which they are found in few rounds.
struct ContactImpulse {
  Vec<double, 3> friction_impulse;
  double normal_impulse, dt;
  std::int64_t holder;
};
inline ContactImpulse impulse_of(const ContactPoint& c) {
  return {c.friction_impulse, c.normal_impulse, c.dt, c.holder};
}
inline ContactPoint contact_of(const ContactImpulse& saved) {
  ContactPoint c{};
  c.friction_impulse = saved.friction_impulse, c.normal_impulse = saved.normal_impulse;
  c.dt = saved.dt;
  c.holder = static_cast<std::int32_t>(saved.holder);
  return c;
}

template <class Real, int D>
struct SolidContact {
  GridUpdateParams<Real, D> params;
  BodyView moved;
  Real dx;
  const SolidProperties* properties = nullptr;  // [body]
  // Points on the surface of bodies, where the scene has them, and whose they are.
  const Vec<double, 3>* points = nullptr;
  const std::int32_t* body_of = nullptr;
  std::uint32_t count = 0;
  std::uint32_t* pairs = nullptr;    // [body][2 D + collider]: whether they may meet in the step
  ContactPoint* contacts = nullptr;  // [point], of the step before until new ones are found
  // Those that may come to touch, in their order, and behind [count] of these their number.
  std::uint32_t* active = nullptr;
  double* impulses = nullptr;  // [collider][kReactionColumns]
  double total_weight = 0;     // N, of all bodies
  bool applied = false;        // momenta have the contacts' impulses, which are of this step
};

// Changes the momenta of bodies, with which they would end the step, to such as they can. They have
// not moved yet; poses are those of the step.
template <class Exec, int D, class Real>
void resolve_solids(Exec& exec, const SolidContact<Real, D>& solids, const StepControl* control);

// At the end of a step: what contacts do to colliders that material does not move counts among the
// reactions of the frame, `sums`, with their other impulses, which are then 0.
template <class Exec, int D, class Real>
void add_contact_reactions(Exec& exec, const SolidContact<Real, D>& solids, double* sums,
                           const StepControl* control);

}  // namespace firn
