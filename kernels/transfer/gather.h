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

// out[0] = sum w v, out[1 + a] = sum (functional `linear_of(axis a)`) v. `linear` picks the member
// of the stencil: &AxisStencil::linear for the modes, &AxisStencil::dw for the gradient of the
// interpolated field.
template <int Side, int Degree, class Real, class Value>
FIRN_HD inline void gather_affine(const Stencil<2, Degree, Real>& s,
                                  Real (AxisStencil<Degree, Real>::*linear)[Degree + 1],
                                  const Value* tile, Value (&out)[3]) {
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = unrolled_nodes<Degree, Real>();
  const auto &x = s.axis[0], &y = s.axis[1];
  for (auto& o : out) o = Value{};
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    Value mean = Value{}, slope = Value{};
    FIRN_UNROLL
    for (int j = 0; j < n; ++j) {
      const Value& v = tile[i * Side + j];
      mean += y.w[j] * v;
      slope += (y.*linear)[j] * v;
    }
    out[0] += x.w[i] * mean;
    out[1] += (x.*linear)[i] * mean;
    out[2] += x.w[i] * slope;
  }
}
template <int Side, int Degree, class Real, class Value>
FIRN_HD inline void gather_affine(const Stencil<3, Degree, Real>& s,
                                  Real (AxisStencil<Degree, Real>::*linear)[Degree + 1],
                                  const Value* tile, Value (&out)[4]) {
  if constexpr (kHasNodeRows && std::is_floating_point_v<Real> && std::is_same_v<Value, Node<Real>>)
    return gather_affine_rows<Side>(s, linear, tile, out);
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = unrolled_nodes<Degree, Real>();
  const auto &x = s.axis[0], &y = s.axis[1], &z = s.axis[2];
  for (auto& o : out) o = Value{};
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    Value plane = Value{}, plane_y = Value{}, plane_z = Value{};
    FIRN_UNROLL
    for (int j = 0; j < n; ++j) {
      Value mean = Value{}, slope = Value{};
      const Value* row = tile + (i * Side + j) * Side;
      FIRN_UNROLL
      for (int k = 0; k < n; ++k) {
        mean += z.w[k] * row[k];
        slope += (z.*linear)[k] * row[k];
      }
      plane += y.w[j] * mean;
      plane_y += (y.*linear)[j] * mean;
      plane_z += y.w[j] * slope;
    }
    out[0] += x.w[i] * plane;
    out[1] += (x.*linear)[i] * plane;
    out[2] += x.w[i] * plane_y;
    out[3] += x.w[i] * plane_z;
  }
}

// The functional of power p along one axis, at node i.
template <int Degree, class Real>
FIRN_HD inline Real axis_functional(const AxisStencil<Degree, Real>& s, int power, int i) {
  return power == 0 ? s.w[i] : power == 1 ? s.linear[i] : s.bending[i];
}

// out[r] = sum_i (functional of mode r) v_i, for a tensor set with K powers per axis.
template <int K, int Side, int Degree, class Real, class Value>
FIRN_HD inline void gather_tensor(const Stencil<2, Degree, Real>& s, const Value* tile,
                                  Value* out) {
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = K == 2 ? unrolled_nodes<Degree, Real>() : 1;
  for (int r = 0; r < K * K; ++r) out[r] = Value{};
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    Value row[K];
    for (int b = 0; b < K; ++b) row[b] = Value{};
    FIRN_UNROLL
    for (int j = 0; j < n; ++j)
      for (int b = 0; b < K; ++b) row[b] += axis_functional(s.axis[1], b, j) * tile[i * Side + j];
    for (int a = 0; a < K; ++a)
      for (int b = 0; b < K; ++b) out[a * K + b] += axis_functional(s.axis[0], a, i) * row[b];
  }
}
template <int K, int Side, int Degree, class Real, class Value>
FIRN_HD inline void gather_tensor(const Stencil<3, Degree, Real>& s, const Value* tile,
                                  Value* out) {
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = K == 2 ? unrolled_nodes<Degree, Real>() : 1;
  for (int r = 0; r < K * K * K; ++r) out[r] = Value{};
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    Value plane[K * K];
    for (int b = 0; b < K * K; ++b) plane[b] = Value{};
    FIRN_UNROLL
    for (int j = 0; j < n; ++j) {
      Value row[K];
      for (int c = 0; c < K; ++c) row[c] = Value{};
      FIRN_UNROLL
      for (int k = 0; k < n; ++k)
        for (int c = 0; c < K; ++c)
          row[c] += axis_functional(s.axis[2], c, k) * tile[(i * Side + j) * Side + k];
      for (int b = 0; b < K; ++b)
        for (int c = 0; c < K; ++c) plane[b * K + c] += axis_functional(s.axis[1], b, j) * row[c];
    }
    for (int a = 0; a < K; ++a)
      for (int b = 0; b < K * K; ++b)
        out[a * K * K + b] += axis_functional(s.axis[0], a, i) * plane[b];
  }
}

// sum w v alone.
template <int Side, int Degree, class Real, class Value>
FIRN_HD inline Value gather_mean(const Stencil<2, Degree, Real>& s, const Value* tile) {
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = unrolled_nodes<Degree, Real>();
  Value mean = Value{};
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    Value row = Value{};
    FIRN_UNROLL
    for (int j = 0; j < n; ++j) row += s.axis[1].w[j] * tile[i * Side + j];
    mean += s.axis[0].w[i] * row;
  }
  return mean;
}
template <int Side, int Degree, class Real, class Value>
FIRN_HD inline Value gather_mean(const Stencil<3, Degree, Real>& s, const Value* tile) {
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = unrolled_nodes<Degree, Real>();
  Value mean = Value{};
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    Value plane = Value{};
    FIRN_UNROLL
    for (int j = 0; j < n; ++j) {
      const Value* row = tile + (i * Side + j) * Side;
      Value sum = Value{};
      FIRN_UNROLL
      for (int k = 0; k < n; ++k) sum += s.axis[2].w[k] * row[k];
      plane += s.axis[1].w[j] * sum;
    }
    mean += s.axis[0].w[i] * plane;
  }
  return mean;
}

}  // namespace firn
