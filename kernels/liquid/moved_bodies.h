// Bodies that liquid moves, as a part of the projection [Batty et al. 2007]: the velocity of a body
// at the end of the step is an unknown beside the pressure, so that it floats, is washed along and
// falls in as the liquid that gives way to it lets it, however light it is.
//
// With q = p dt, A the projection's matrix, and G q what q does to the momenta of the bodies
// through the closed parts of faces, the velocities of the bodies are u = u_free + M^-1 G q, and
// the flux of their surfaces goes into the same cells as G^T u (over the volume of a cell):
//   (A + G^T M^-1 G / dx^D) q = -div of what there is, with the bodies at u_free.
// The second term is symmetric and never negative, of rank 6 (2D: 3) a body.
#pragma once

#include "kernels/exec/backend.h"
#include "kernels/grid/pose_colliders.h"
#include "kernels/mac/mac_grid.h"
#include "kernels/step/control.h"

namespace firn {

// How a body moves in a step.
struct BodyMotion {
  Vec<double, 3> velocity, spin;  // as it began, see RigidBody
  RigidVelocity free;             // at its end, were there no pressure
  Vec<double, 3> moment;          // N m s about the centre of mass, of all but the pressure
  // N s and N m s, by what the pressure at the body's surface is more than at the centres of the
  // cells before it: the weight of the liquid between. `free` and `moment` have these in them.
  Vec<double, 3> surface_impulse, surface_moment;
  RigidVelocity change;  // by the vector that a solver multiplies with
  RigidVelocity now;     // what faces have
};

template <class Real, int D>
struct BodyCoupling {
  static constexpr std::uint32_t kParts = 64;  // of the blocks, of which each has its own sums
  using System = ContactSystem<D>;
  GridUpdateParams<Real, D> params;
  GridView<Real> grid;
  MacView<Real> mac;
  BodyView moved;
  // [block][axis][64], of blocks that bodies are `near` to: the one that has the closed part of a
  // face, or -1.
  std::int16_t* owner = nullptr;
  // [block]: the bodies, as bits of their numbers modulo 32, that have faces of its cells.
  std::uint32_t* near = nullptr;
  double* parts = nullptr;        // [body][kParts][System::kUnknowns]
  BodyMotion* motions = nullptr;  // [body]
  double* impulses = nullptr;     // [collider][kReactionColumns], 0 between steps
};

// After measure_faces: which body has which faces, and how bodies will move without the pressure:
// by gravity, by what params.reactions holds already with `stressed`, and by the weight, at rest,
// of the liquid between the centres of cells and their surface, or a box would float half a cell
// too high or too low. Their poses get that velocity.
template <class Exec, int D, class Real>
void free_bodies(Exec& exec, const BodyCoupling<Real, D>& bodies, bool stressed,
                 std::uint32_t max_blocks, const StepControl* control);

// With the pressure found, or as before it with `found` false: bodies, their poses and the faces
// that they have get their velocities.
template <class Exec, int D, class Real>
void push_bodies(Exec& exec, const BodyCoupling<Real, D>& bodies, bool found,
                 std::uint32_t max_blocks, const StepControl* control);
// With the pressure found: what that weight is where the liquid does not rest, for another solve.
// *changed = 1 where it is another one.
template <class Exec, int D, class Real>
void weigh_bodies(Exec& exec, const BodyCoupling<Real, D>& bodies, std::uint32_t* changed,
                  std::uint32_t max_blocks, const StepControl* control);
// With velocities of bodies that something else has changed since: poses and faces get them, and
// what changed them counts among what acts beside the pressure. *changed = 1 where that is more
// than the pressure should be left with.
template <class Exec, int D, class Real>
void hit_bodies(Exec& exec, const BodyCoupling<Real, D>& bodies, std::uint32_t* changed,
                std::uint32_t max_blocks, const StepControl* control);

}  // namespace firn
