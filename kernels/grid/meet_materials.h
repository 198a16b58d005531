// Contact between materials that move with velocity fields of their own.
#pragma once

#include "kernels/grid/update.h"

namespace firn {

// How the materials of two velocity fields (blocks.h) meet. Tables in device memory.
template <class Real>
struct ContactPairs {
  int fields = 1;
  // Per pair, fields^2: the coefficient of friction between what touches and lets go, or kBonded.
  const Real* friction = nullptr;
  // Per field: of the volume of a cell, what a kilogram at rest fills; 0 where all is bonded to it.
  const Real* fill = nullptr;
  static constexpr Real kBonded = -1;
  // Per block, kReactionColumns: what its field has been given by the others on the nodes there,
  // the work being what that adds to its kinetic energy.
  double* given = nullptr;

  FIRN_HD Real between(int a, int b) const { return friction[a * fields + b]; }
};

// Of the momenta on nodes that several fields share, after P2G and before the grid update: what
// closes in on each other stops doing so, and rubs [Bardenhagen et al. 2001]; what is bonded has
// one velocity. Momentum is kept to rounding, and energy never grows. Where impulses are kept apart
// (separate_force) they take these. The normal is that of the plane that separates the materials of
// the nodes around best, by a linear fit where [Nairn et al. 2020] have a logistic one. Along it a
// material begins where it has half of the volume; by no more than what lies between may they close
// in within the step. Fills `contacts.given`.
template <class Exec, int D, class Real>
void meet_materials(Exec& exec, const GridUpdateParams<Real, D>& params,
                    const ContactPairs<Real>& contacts, const GridView<Real>& grid,
                    std::uint32_t max_blocks, const StepControl* control);

}  // namespace firn
