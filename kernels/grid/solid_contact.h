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

struct Touch {
  Vec<double, 3> arm;     // of the point from the centre of its body, m
  Vec<double, 3> normal;  // of what it comes to
  Vec<double, 3> other;   // velocity of that, where material does not move it
  double gap;             // m, negative: within what it comes to
  double least;           // m/s, at which the point must leave; negative: may come closer
  double friction, restitution;
  double closed, back;    // m/s, at which a blow has come and is thrown back
  double blow, before;    // N s, of what is pushed: by which it is, and of that had been
  double pushed;          // N s, along the normal
  double need;            // m/s, by how much the velocity there has to change
  Vec<double, 3> rubbed;  // N s, across it
  double dt;              // s, of the step
  std::int32_t holder;    // in the order of the domain's faces, then the colliders; -1: none
};

// What a touch carries from step to step: where bodies rest on each other, the impulses of a step
// are nearly those of the one before, from which they are found in few rounds.
struct CarriedTouch {
  Vec<double, 3> rubbed;  // of a Touch, as what follows
  double pushed, dt;
  std::int64_t holder;
};
inline CarriedTouch carried(const Touch& t) { return {t.rubbed, t.pushed, t.dt, t.holder}; }
inline Touch touch_of(const CarriedTouch& c) {
  Touch t{};
  t.rubbed = c.rubbed, t.pushed = c.pushed, t.dt = c.dt;
  t.holder = static_cast<std::int32_t>(c.holder);
  return t;
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
  std::uint32_t* pairs = nullptr;  // [body][2 D + collider]: whether they may meet in the step
  Touch* touches = nullptr;        // [point], of the step before until new ones are found
  // Those that may come to touch, in their order, and behind [count] of these their number.
  std::uint32_t* touching = nullptr;
  double* impulses = nullptr;  // [collider][kReactionColumns]
  double weight = 0;           // N, of all bodies
  // Whether momenta have in them already what touches say, which have been found in this step.
  std::uint32_t again = 0;
};

// Changes the momenta of bodies, with which they would end the step, to such as they can. They have
// not moved yet; poses are those of the step.
template <class Exec, int D, class Real>
void resolve_solids(Exec& exec, const SolidContact<Real, D>& solids, const StepControl* control);

// At the end of a step: what touches do to colliders that material does not move counts among the
// reactions of the frame, `sums`, with their other impulses, which are then 0.
template <class Exec, int D, class Real>
void count_contacts(Exec& exec, const SolidContact<Real, D>& solids, double* sums,
                    const StepControl* control);

}  // namespace firn
