// Which nodes colliders and walls may touch in a step: unlike those of the grid update also such as
// the step would take into them.
#pragma once

#include "kernels/grid/contact.h"

namespace firn {

// How far outside of collider c, m, a node is held where the step would take it within; 0 where
// only nodes within touch it. Of what lets go nodes within bear all, even those of so little weight
// that in a long step the material would spring back past the face to the next ones.
template <int D, class Real>
FIRN_HD inline Real reach_of(const NodeContact<D, Real>& contact, int c) {
  return contact.lets_go(c) ? contact.grid.dx : Real(0);
}
// Of node i of a block, at x, `distance` from collider c: so far outside of it, if it may touch it,
// 0 within it and behind its face; negative if not.
template <int D, class Real>
FIRN_HD inline Real way_to(const NodeContact<D, Real>& contact, int c, std::uint32_t block,
                           std::uint32_t i, const Vec<Real, D>& x, Real distance) {
  if (contact.is_in_body(distance) || contact.is_behind(c, block, i, x)) return Real(0);
  return distance <= reach_of(contact, c) ? distance : Real(-1);
}

// Likewise, outside of a wall of the domain.
template <int D, class Real>
FIRN_HD inline Real reach_of_wall(const NodeContact<D, Real>& contact, int face) {
  return contact.params.walls.minds_gap(face) ? contact.grid.dx : Real(0);
}

// How collider c acts on a node at x that would move with v.
template <int D, class Real>
FIRN_HD inline typename NodeContact<D, Real>::Facing facing_of(const NodeContact<D, Real>& contact,
                                                               int c, std::uint32_t block,
                                                               std::uint32_t i,
                                                               const Vec<Real, D>& x,
                                                               const Vec<Real, D>& v) {
  const GridUpdateParams<Real, D>& params = contact.params;
  return contact.facing(c, block, i, x, v,
                        surface_velocity(params.colliders[c], params.poses[c], x));
}

}  // namespace firn
