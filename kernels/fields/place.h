// Where a position lies among the nodes of an axis. Operators that bucket particles and those that
// scatter them take it from here, so that they round alike.
#pragma once

#include <cmath>
#include <type_traits>

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
// The same with the node as what counts nodes: an int; of packs a pack, of whole numbers.
template <class T>
using NodeIndex = std::conditional_t<std::is_constructible_v<int, T>, int, T>;
template <class T>
struct AxisBase {
  NodeIndex<T> node;
  T offset;
};
template <class T, class Number>
FIRN_HD inline AxisBase<T> axis_base(const T& x, const Number& inv_dx, const Number& shift) {
  const AxisPlace<T> at = axis_place(x, T(inv_dx), T(shift));
  return {static_cast<NodeIndex<T>>(at.node), at.offset};
}

}  // namespace firn
