// Regions of the domain where material is taken away.
#pragma once

#include "kernels/collide/sdf.h"

namespace firn {

// Regions that delete what enters them: shapes, and what lies beyond the open faces of the domain.
template <class Real>
struct SinkView {
  const SdfProgram<Real>* programs = nullptr;
  int count = 0;
  bool open = false;  // whether min and max hold; -+kLargest where a face is not open
  Real min[3] = {}, max[3] = {};

  // Of a place in the first round of periodic axes. What lies on a wall lies in a sink that begins
  // there.
  template <int D>
  FIRN_HD bool takes(const Vec<Real, D>& x) const {
    for (int a = 0; a < D && open; ++a)
      if (x[a] < min[a] || x[a] > max[a]) return true;
    for (int k = 0; k < count; ++k)
      if (signed_distance<D>(programs[k], x) <= 0) return true;
    return false;
  }
};

}  // namespace firn
