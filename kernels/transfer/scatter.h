// One particle's contribution to the nodes of its stencil, by sum factorisation: partial sums of
// the polynomial are formed axis by axis, so a node costs one multiply-add per mode of the last
// axis. Coefficients are whole nodes on collocated grids and one component on faces. The conflict
// policy is the caller's `add(node, weight, value)`, which adds weight * value.
#pragma once

#include "kernels/exec/node.h"
#include "kernels/exec/node_row.h"
#include "kernels/math/mat.h"
#include "kernels/transfer/modes.h"
#include "kernels/transfer/spline.h"

namespace firn {

// Strides of a tile of nodes, last axis fastest.
template <int D, int Side>
FIRN_HD constexpr int tile_stride(int axis) {
  return int_power(Side, D - 1 - axis);
}

// node += w (q + sum_a z_a Q_a). `tile` points to the stencil's lowest node in a tile of `Side`
// nodes per axis.
template <int Side, int Degree, class Real, class Value, class Add>
FIRN_HD inline void scatter_affine(const Stencil<2, Degree, Real>& s, const Value& q,
                                   const Value (&Q)[2], Node<Real>* tile, Add&& add) {
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = unrolled_nodes<Degree, Real>();
  const auto &x = s.axis[0], &y = s.axis[1];
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    const Value at_x = q + x.z[i] * Q[0];
    FIRN_UNROLL
    for (int j = 0; j < n; ++j) add(tile[i * Side + j], x.w[i] * y.w[j], at_x + y.z[j] * Q[1]);
  }
}
template <int Side, int Degree, class Real, class Value, class Add>
FIRN_HD inline void scatter_affine(const Stencil<3, Degree, Real>& s, const Value& q,
                                   const Value (&Q)[3], Node<Real>* tile, Add&& add) {
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = unrolled_nodes<Degree, Real>();
  const auto &x = s.axis[0], &y = s.axis[1], &z = s.axis[2];
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    const Value at_x = q + x.z[i] * Q[0];
    FIRN_UNROLL
    for (int j = 0; j < n; ++j) {
      const Value at_y = at_x + y.z[j] * Q[1];
      const Real w_xy = x.w[i] * y.w[j];
      Node<Real>* row = tile + (i * Side + j) * Side;
      FIRN_UNROLL
      for (int k = 0; k < n; ++k) add(row[k], w_xy * z.w[k], at_y + z.z[k] * Q[2]);
    }
  }
}

// node += w value.
template <int Side, int Degree, class Real, class Value, class Add>
FIRN_HD inline void scatter_value(const Stencil<2, Degree, Real>& s, const Value& value,
                                  Value* tile, Add&& add) {
  constexpr int n = stencil_nodes(Degree);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) add(tile[i * Side + j], s.axis[0].w[i] * s.axis[1].w[j], value);
}
template <int Side, int Degree, class Real, class Value, class Add>
FIRN_HD inline void scatter_value(const Stencil<3, Degree, Real>& s, const Value& value,
                                  Value* tile, Add&& add) {
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = unrolled_nodes<Degree, Real>();
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    FIRN_UNROLL
    for (int j = 0; j < n; ++j) {
      const Real w_xy = s.axis[0].w[i] * s.axis[1].w[j];
      Value* row = tile + (i * Side + j) * Side;
      FIRN_UNROLL
      for (int k = 0; k < n; ++k) add(row[k], w_xy * s.axis[2].w[k], value);
    }
  }
}

// scatter_affine by rows of nodes, into a tile that nobody else writes to now. Writes four nodes of
// each row, whatever the stencil's reach: to those beyond it, their own value.
template <int Side, int Degree, class Real>
inline void scatter_affine_rows(const Stencil<3, Degree, Real>& s, const Node<Real>& q,
                                const Node<Real> (&Q)[3], Node<Real>* tile) {
  using Row = NodeRow<Real>;
  constexpr int n = stencil_nodes(Degree);
  const auto &x = s.axis[0], &y = s.axis[1], &z = s.axis[2];
  const Row w_z = Row::weights(z.w), Q_x = Row::repeat(Q[0]), Q_y = Row::repeat(Q[1]);
  const Row base = Row::repeat(q) + Row::weights(z.z) * Row::repeat(Q[2]);
  for (int i = 0; i < n; ++i) {
    const Row at_x = base + x.z[i] * Q_x, w_xz = x.w[i] * w_z;
    for (int j = 0; j < n; ++j) {
      Node<Real>* nodes = tile + (i * Side + j) * Side;
      (Row::load(nodes) + (at_x + y.z[j] * Q_y) * (y.w[j] * w_xz)).store(nodes);
    }
  }
}

// Value of one axis' partial polynomial at node i: c[0] + z c[1] (+ g c[2]).
template <int K, int Degree, class Real, class Value>
FIRN_HD inline Value axis_polynomial(const AxisStencil<Degree, Real>& s, int i, const Value& c0,
                                     const Value& c1, [[maybe_unused]] const Value& c2) {
  Value value = c0 + s.z[i] * c1;
  if constexpr (K == 3) value += s.g[i] * c2;
  return value;
}

// node += w sum_r s_r(z) c_r over a tensor set with K powers per axis; c in the order of
// mode_power.
template <int K, int Side, int Degree, class Real, class Value, class Add>
FIRN_HD inline void scatter_tensor(const Stencil<2, Degree, Real>& s, const Value* c,
                                   Node<Real>* tile, Add&& add) {
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = K == 2 ? unrolled_nodes<Degree, Real>() : 1;
  const auto &x = s.axis[0], &y = s.axis[1];
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    Value row[3];
    for (int b = 0; b < K; ++b)
      row[b] = axis_polynomial<K>(x, i, c[b], c[K + b], c[(K - 1) * K + b]);
    FIRN_UNROLL
    for (int j = 0; j < n; ++j)
      add(tile[i * Side + j], x.w[i] * y.w[j],
          axis_polynomial<K>(y, j, row[0], row[1], row[K - 1]));
  }
}
template <int K, int Side, int Degree, class Real, class Value, class Add>
FIRN_HD inline void scatter_tensor(const Stencil<3, Degree, Real>& s, const Value* c,
                                   Node<Real>* tile, Add&& add) {
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = K == 2 ? unrolled_nodes<Degree, Real>() : 1;
  const auto &x = s.axis[0], &y = s.axis[1], &z = s.axis[2];
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    Value plane[9];
    for (int b = 0; b < K * K; ++b)
      plane[b] = axis_polynomial<K>(x, i, c[b], c[K * K + b], c[(K - 1) * K * K + b]);
    FIRN_UNROLL
    for (int j = 0; j < n; ++j) {
      Value row[3];
      for (int b = 0; b < K; ++b)
        row[b] = axis_polynomial<K>(y, j, plane[b], plane[K + b], plane[(K - 1) * K + b]);
      const Real w_xy = x.w[i] * y.w[j];
      Node<Real>* nodes = tile + (i * Side + j) * Side;
      FIRN_UNROLL
      for (int k = 0; k < n; ++k)
        add(nodes[k], w_xy * z.w[k], axis_polynomial<K>(z, k, row[0], row[1], row[K - 1]));
    }
  }
}

// g at any offset zeta, from the moments of the particle's own stencil [PolyPIC eq. 14].
template <int Degree, class Real>
FIRN_HD inline Real bending_mode(const AxisStencil<Degree, Real>& s, Real zeta) {
  if constexpr (Degree == 2) {
    const Real o = -s.z[1];
    return zeta * zeta - o * (1 - 4 * o * o) * zeta - Real(0.25);
  }
  return zeta * zeta - Real(1) / 3;
}

// M = (I + dt C)^-1 from I + dt C; where that is nearly singular, the identity: translation.
template <class Real, int D>
FIRN_HD inline Mat<Real, D> invert_motion(const Mat<Real, D>& forward) {
  return determinant(forward) < Real(0.1) ? Mat<Real, D>::identity() : inverse(forward);
}

// As scatter_tensor, with the modes taken at zeta = M z, M = (I + dt C)^-1: the affine map mixes
// the axes, so there is nothing to factorise [PolyPIC 5.1].
template <int K, int Side, int D, int Degree, class Real, class Value, class Add>
FIRN_HD inline void scatter_mapped(const Stencil<D, Degree, Real>& s, const Mat<Real, D>& map,
                                   const Value* c, Node<Real>* tile, Add&& add) {
  constexpr int n = stencil_nodes(Degree);
  for (int node = 0; node < int_power(n, D); ++node) {
    int index[D], offset = 0;
    Real w = 1;
    Vec<Real, D> z;
    for (int a = D - 1, rest = node; a >= 0; --a, rest /= n) {
      index[a] = rest % n;
      offset += index[a] * tile_stride<D, Side>(a);
      w *= s.axis[a].w[index[a]];
      z[a] = s.axis[a].z[index[a]];
    }
    const Vec<Real, D> zeta = map * z;
    Real power[D][3];
    for (int a = 0; a < D; ++a) {
      power[a][0] = 1;
      power[a][1] = zeta[a];
      power[a][2] = K == 3 ? bending_mode(s.axis[a], zeta[a]) : Real(0);
    }
    Value value = c[0];
    for (int r = 1; r < int_power(K, D); ++r) {
      Real mode = 1;
      for (int a = D - 1, rest = r; a >= 0; --a, rest /= K) mode *= power[a][rest % K];
      value += mode * c[r];
    }
    add(tile[offset], w, value);
  }
}

// node += sum_a (dw/dx_a) T_a: the force of the classical form, T_a = -dt V0 tau e_a / dx.
template <int Side, int Degree, class Real, class Add>
FIRN_HD inline void scatter_gradient(const Stencil<2, Degree, Real>& s, const Node<Real> (&T)[2],
                                     Node<Real>* tile, Add&& add) {
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = unrolled_nodes<Degree, Real>();
  const auto &x = s.axis[0], &y = s.axis[1];
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    const Node<Real> along_x = x.dw[i] * T[0], along_y = x.w[i] * T[1];
    FIRN_UNROLL
    for (int j = 0; j < n; ++j)
      add(tile[i * Side + j], Real(1), y.w[j] * along_x + y.dw[j] * along_y);
  }
}
template <int Side, int Degree, class Real, class Add>
FIRN_HD inline void scatter_gradient(const Stencil<3, Degree, Real>& s, const Node<Real> (&T)[3],
                                     Node<Real>* tile, Add&& add) {
  constexpr int n = stencil_nodes(Degree);
  [[maybe_unused]] constexpr int kUnrolled = unrolled_nodes<Degree, Real>();
  const auto &x = s.axis[0], &y = s.axis[1], &z = s.axis[2];
  FIRN_UNROLL
  for (int i = 0; i < n; ++i) {
    const Node<Real> along_x = x.dw[i] * T[0], along_y = x.w[i] * T[1], along_z = x.w[i] * T[2];
    FIRN_UNROLL
    for (int j = 0; j < n; ++j) {
      const Node<Real> across = y.w[j] * along_x + y.dw[j] * along_y, along = y.w[j] * along_z;
      Node<Real>* row = tile + (i * Side + j) * Side;
      FIRN_UNROLL
      for (int k = 0; k < n; ++k) add(row[k], Real(1), z.w[k] * across + z.dw[k] * along);
    }
  }
}

}  // namespace firn
