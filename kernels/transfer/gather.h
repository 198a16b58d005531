// What a particle reads from the nodes of its stencil, by sum factorisation: the transpose of
// scatter.h with the functionals w, w z / M_2 and w g / sum(w g^2) in the place of the modes.
// Values are whole nodes on collocated grids and one component on faces. [PolyPIC 6.3]
#pragma once

#include <type_traits>

#include "kernels/exec/node.h"
#include "kernels/exec/node_row.h"
#include "kernels/transfer/scatter.h"

namespace firn {

// gather_affine by rows of nodes. Reads four nodes of each row, whatever the stencil's reach.
template <int Side, int Degree, class Real>
inline void gather_affine_rows(const Stencil<3, Degree, Real>& s,
                               Real (AxisStencil<Degree, Real>::*linear)[Degree + 1],
                               const Node<Real>* tile, Node<Real> (&out)[4]) {
  using Row = NodeRow<Real>;
  constexpr int n = stencil_nodes(Degree);
  const auto &x = s.axis[0], &y = s.axis[1], &z = s.axis[2];
  Row mean = Row::zero(), slope_x = Row::zero(), slope_y = Row::zero();
  for (int i = 0; i < n; ++i) {
    Row plane = Row::zero(), plane_y = Row::zero();
    for (int j = 0; j < n; ++j) {
      const Row row = Row::load(tile + (i * Side + j) * Side);
      plane += y.w[j] * row;
      plane_y += (y.*linear)[j] * row;
    }
    mean += x.w[i] * plane;
    slope_x += (x.*linear)[i] * plane;
    slope_y += x.w[i] * plane_y;
  }
  const Row w = Row::weights(z.w);
  out[0] = (w * mean).sum();
  out[1] = (w * slope_x).sum();
  out[2] = (w * slope_y).sum();
  out[3] = (Row::weights(z.*linear) * mean).sum();
}

// The first n nodes of a tile: what stands for a pointer to values has this function too.
template <int n, class Value>
FIRN_HD inline const Value* tile_row(const Value* tile) {
  return tile;
}

// The part of gather_affine from `Axis` on: out[1 + a] is that of axis Axis + a.
template <int Side, int Axis, int D, int Degree, class Real, class Tile, class Value>
FIRN_HD inline void gather_affine_from(const Stencil<D, Degree, Real>& s,
                                       Real (AxisStencil<Degree, Real>::*linear)[Degree + 1],
                                       const Tile& tile, Value (&out)[1 + D - Axis]) {
  [[maybe_unused]] constexpr int kUnrolled = unrolled_nodes<Degree, Real>();
  const AxisStencil<Degree, Real>& axis = s.axis[Axis];
  for (auto& o : out) o = Value{};
  if constexpr (Axis == D - 1) {
    const auto row = tile_row<stencil_nodes(Degree)>(tile);
    FIRN_UNROLL
    for (int i = 0; i < stencil_nodes(Degree); ++i) {
      out[0] += axis.w[i] * row[i];
      out[1] += (axis.*linear)[i] * row[i];
    }
  } else {
    FIRN_UNROLL
    for (int i = 0; i < stencil_nodes(Degree); ++i) {
      Value below[D - Axis];
      gather_affine_from<Side, Axis + 1>(s, linear, tile + i * tile_stride<D, Side>(Axis), below);
      out[0] += axis.w[i] * below[0];
      out[1] += (axis.*linear)[i] * below[0];
      for (int b = 1; b < D - Axis; ++b) out[1 + b] += axis.w[i] * below[b];
    }
  }
}

// out[0] = sum w v, out[1 + a] = sum (functional `linear_of(axis a)`) v. `linear` picks the member
// of the stencil: &AxisStencil::linear for the modes, &AxisStencil::dw for the gradient of the
// interpolated field.
template <int Side, int D, int Degree, class Real, class Tile, class Value>
FIRN_HD inline void gather_affine(const Stencil<D, Degree, Real>& s,
                                  Real (AxisStencil<Degree, Real>::*linear)[Degree + 1],
                                  const Tile& tile, Value (&out)[1 + D]) {
  if constexpr (D == 3 && kHasNodeRows && std::is_floating_point_v<Real> &&
                std::is_same_v<Value, Node<Real>>)
    gather_affine_rows<Side>(s, linear, tile, out);
  else
    gather_affine_from<Side, 0>(s, linear, tile, out);
}

// The functional of power p along one axis, at node i.
template <int Degree, class Real>
FIRN_HD inline Real axis_functional(const AxisStencil<Degree, Real>& s, int power, int i) {
  return power == 0 ? s.w[i] : power == 1 ? s.linear[i] : s.bending[i];
}

// out[r] = sum_i (functional of mode r) v_i, for a tensor set with K powers per axis.
template <int K, int Side, int Axis = 0, int D, int Degree, class Real, class Tile, class Value>
FIRN_HD inline void gather_tensor(const Stencil<D, Degree, Real>& s, const Tile& tile, Value* out) {
  constexpr int kBelow = int_power(K, D - 1 - Axis);
  [[maybe_unused]] constexpr int kUnrolled = K <= 2 ? unrolled_nodes<Degree, Real>() : 1;
  for (int r = 0; r < K * kBelow; ++r) out[r] = Value{};
  if constexpr (Axis == D - 1) {
    const auto row = tile_row<stencil_nodes(Degree)>(tile);
    FIRN_UNROLL
    for (int i = 0; i < stencil_nodes(Degree); ++i)
      for (int a = 0; a < K; ++a) out[a] += axis_functional(s.axis[Axis], a, i) * row[i];
  } else {
    FIRN_UNROLL
    for (int i = 0; i < stencil_nodes(Degree); ++i) {
      Value below[kBelow];
      gather_tensor<K, Side, Axis + 1>(s, tile + i * tile_stride<D, Side>(Axis), below);
      for (int a = 0; a < K; ++a)
        for (int b = 0; b < kBelow; ++b)
          out[a * kBelow + b] += axis_functional(s.axis[Axis], a, i) * below[b];
    }
  }
}

// sum w v alone.
template <int Side, int D, int Degree, class Real, class Tile>
FIRN_HD inline auto gather_mean(const Stencil<D, Degree, Real>& s, const Tile& tile) {
  std::remove_cvref_t<decltype(tile_row<1>(tile)[0])> mean[1];
  gather_tensor<1, Side>(s, tile, mean);
  return mean[0];
}

}  // namespace firn
