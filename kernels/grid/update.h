// The grid step: momentum to velocity, gravity, the domain box, bodies; and what that did to the
// energy and to each body. [G201 p30-36; T 2.2]
#pragma once

#include "kernels/collide/boundary.h"
#include "kernels/collide/rigid_motion.h"
#include "kernels/collide/sdf.h"
#include "kernels/exec/backend.h"
#include "kernels/exec/launch.h"
#include "kernels/fields/blocks.h"
#include "kernels/grid/openings.h"
#include "kernels/step/control.h"

namespace firn {

template <class Real>
struct ColliderShape {
  SdfProgram<Real> program;
  KeyframeView keys;
  BoundaryType boundary;
  Real friction;
  std::int32_t body = -1;  // among those that material moves; -1: moves by its key frames
  // Whether contact is judged where the surface of the material lies. Not for what holds all that
  // it touches, and not for a plane that is the only collider and minds no gaps: it looks the same
  // from there.
  bool by_surface = false;
  // And whether it lets that surface come to it (NodeContact::closing_speed).
  bool minds_gaps = false;
  DeformingHeader* deforming = nullptr;  // of a mesh_sequence, at the begin of program.meshes
};

// In m/s, of the surface point nearest to world position x.
template <class Real, int D>
FIRN_HD inline Vec<Real, D> surface_velocity(const ColliderShape<Real>& collider,
                                             const RigidPose<Real>& pose, const Vec<Real, D>& x) {
  Vec<Real, D> v = velocity_at(pose, x);
  if constexpr (D == 3)
    if (collider.deforming != nullptr)
      v += rotate_to_world(pose, deformation_velocity(collider.program, to_body(pose, x)));
  return v;
}

template <class Real, int D>
struct DomainWalls {
  bool active = false;
  Vec<Real, D> min, max;
  BoundaryType boundary[2 * D];  // -x, +x, -y, ...
  Real friction[2 * D];
  bool mind_gaps = false;  // those that let go of material, as for colliders
  // Whether a wall lies on a plane of nodes and holds both ways, so that nodes behind it are mirror
  // images (mirror.h), and the index of that plane.
  bool mirrors[2 * D] = {};
  std::int32_t plane[2 * D] = {};

  FIRN_HD bool mirrors_any() const {
    for (bool mirrors_one : mirrors)
      if (mirrors_one) return true;
    return false;
  }
  FIRN_HD bool minds_gap(int face) const {
    return mind_gaps && boundary[face] == BoundaryType::kSeparate;
  }
  FIRN_HD bool any_minds_gap() const {
    for (int face = 0; active && face < 2 * D; ++face)
      if (minds_gap(face)) return true;
    return false;
  }
};

// How a node near what holds material depends on another (dependents.h).
template <class Real>
struct NodeDependence {
  Real share = 0;
  std::int16_t holder = -1;  // at which face or collider, see Dependence; -1: on none
  std::int16_t way = 0;      // to the parent, see Dependence
};
// What is kept while the mass and the momentum of dependents are added to their parent's: the mass
// that this had, kg; of dependents the impulse out of balance that material has there in the step's
// solve, kg m/s.
template <class Real, int D>
struct NodeParent {
  Real mass = 0;
  Vec<Real, D> owed;
};
// The holders along which a node slips as a dependent, or dependents of it: more than one in
// corners, where faces stand at right angles.
template <class Real, int D>
struct NodeSlip {
  std::int16_t holder[D];  // see NodeDependence; -1: none
  // Of which of these the parent bears what is due along the normal, as bits.
  std::uint16_t taken = 0;
  Vec<Real, D> normal[D];
  Vec<Real, D> share;  // of a dependent: of the parent's velocity, along each normal
  // Along each: of a parent the mass of its dependents, kg; of a dependent the momentum and what is
  // owed, as of NodeParent.
  Vec<Real, D> along, owed;
};

// Impulse, angular impulse about the origin, and the work that the body does by moving.
inline constexpr int kReactionColumns = 7, kWork = 6;
inline constexpr int kStageColumns = 3;  // kinetic energy after P2G, after forces, after boundaries

template <class Real, int D>
struct GridUpdateParams {
  Vec<Real, D> gravity;
  DomainWalls<Real, D> walls;
  const ColliderShape<Real>* colliders = nullptr;
  RigidPose<Real>* poses = nullptr;  // of this step, one per collider
  int collider_count = 0;
  OpeningView<Real, D> openings;
  // Of the bodies that material moves, with the velocities by which their contacts were judged;
  // null without such bodies. See bodies.h.
  RigidPose<Real>* judged = nullptr;
  int moved = 0;  // bodies that material moves
  // With such bodies, or colliders or walls that are judged by the surface of the material, else
  // null. Per block and collider: whether it may touch a node; per node of a block that one of them
  // may touch: the point of the surface next to it.
  std::uint8_t* near = nullptr;
  Vec<Real, D>* surfaces = nullptr;
  // With what holds all that touches it, but walls that mirror, else null. Per block, whether any
  // of its nodes may be one or a parent, see Dependence; per node, where that is so: the ways by
  // which dependents come to it, as bits that the step's end clears, on which it depends, and what
  // it was as a parent.
  std::uint8_t* depends = nullptr;
  std::uint32_t* parents = nullptr;  // words of Dependence, a node
  NodeDependence<Real>* dependences = nullptr;
  NodeParent<Real, D>* parent_nodes = nullptr;
  NodeSlip<Real, D>* slips = nullptr;  // null where no nodes at what slips are among them
  const double* densities = nullptr;   // of the materials, kg/m^D, where there are surfaces
  int materials = 0;
  int degree = 2;               // of the kernel
  bool separate_force = false;  // see TransferParams
  double* reactions = nullptr;  // per block: colliders * kReactionColumns; null without colliders
  double* stage_energies = nullptr;  // per block: kStageColumns; null unless diagnosed
};

// Impulse of the material on the body, and its moment about the origin.
template <class Real, int D>
FIRN_HD inline void add_impulse(double* sums, const Vec<Real, D>& x, const Vec<Real, D>& impulse) {
  for (int a = 0; a < D; ++a) sums[a] += impulse[a];
  for (int a = 0; a < D; ++a)
    for (int b = a + 1; b < D; ++b) {
      const int axis = 3 - a - b;  // the axis normal to (a, b); x cross z is -y
      const double moment =
          static_cast<double>(x[a]) * impulse[b] - static_cast<double>(x[b]) * impulse[a];
      sums[3 + axis] += axis == 1 ? -moment : moment;
    }
}

// Work on the material, J, of a body whose surface moves at velocity `v` where it takes an impulse.
template <class Real, int D>
FIRN_HD inline void add_work(double* sums, const Vec<Real, D>& v, const Vec<Real, D>& impulse) {
  sums[kWork] -= static_cast<double>(dot(impulse, v));
}

// Where no collider is moved by material; else update_with_bodies (bodies.h).
template <class Exec, int D, class Real>
void grid_update(Exec& exec, const GridUpdateParams<Real, D>& params, const GridView<Real>& grid,
                 std::uint32_t max_blocks, const StepControl* control);

// out[c] += sum over rows of table[row * columns + c], rows in a fixed order.
template <class Exec>
void add_columns(Exec& exec, const double* table, DeviceCount rows, int columns, double* out,
                 const std::uint32_t* stop);

}  // namespace firn
