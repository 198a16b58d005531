// Where a position lies among the nodes of an axis. Operators that bucket particles and those that
// scatter them take it from here, so that they round alike.
#pragma once

#include <cmath>

#include "kernels/math/scalar.h"

namespace firn {

// The node floor(x / dx - shift) and the offset in [0, 1] from it: a stencil's lowest node and
// where the particle lies in that node's interval. The fused multiply-add is explicit. `T` may be a
// pack; the node is then a whole number in a T.
template <class T>
struct AxisPlace {
  T node, offset;
};
template <class T>
FIRN_HD inline AxisPlace<T> axis_place(const T& x, const T& inv_dx, const T& shift) {
  using std::fma;
  const T cell = fma(x, inv_dx, -shift);
  const T base = floor(cell);
  return {base, cell - base};
}
template <class Real>
struct AxisBase {
  int node;
  Real offset;
};
template <class Real>
FIRN_HD inline AxisBase<Real> axis_base(Real x, Real inv_dx, Real shift) {
  const AxisPlace<Real> at = axis_place(x, inv_dx, shift);
  return {static_cast<int>(at.node), at.offset};
}

}  // namespace firn
