// Positions on periodic axes as a scene knows them.
#pragma once

#include "kernels/fields/blocks.h"

namespace firn {

// x within the domain along an axis: particles are kept up to two cells beyond it, where their
// stencil does not cross the seam.
template <int D, class Real>
FIRN_HD inline Real in_first_round(const PeriodicBlocks& periodic, int axis, Real dx, Real inv_dx,
                                   Real x) {
  if (periodic.count[axis] == 0) return x;
  const int block = static_cast<int>(floor(x * inv_dx)) >> BlockTraits<D>::kShift;
  const int turns = periodic.turns(axis, block);
  return x - static_cast<Real>(turns * periodic.count[axis] * BlockTraits<D>::kSide) * dx;
}

}  // namespace firn
