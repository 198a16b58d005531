// One particle's contribution to the nodes of its stencil, by sum factorisation: partial sums of
// the polynomial are formed axis by axis, so a node costs one multiply-add per mode of the last
// axis. Coefficients are whole nodes on collocated grids and one component on faces. The conflict
// policy is the caller's `add(node, weight, value)`, which adds weight * value.
#pragma once

#include <type_traits>

#include "kernels/exec/node.h"
#include "kernels/exec/node_row.h"
#include "kernels/math/mat.h"
#include "kernels/transfer/modes.h"
#include "kernels/transfer/spline.h"
#include "kernels/transfer/tile.h"

namespace firn {

// A value that may be another one each time, for all that the compiler of CUDA knows: where
// particles take turns it would else keep what they bring to all nodes from one turn to the next,
// in memory.
template <class Real>
FIRN_HD inline void made_anew([[maybe_unused]] Real& value) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<Real, float>)
    asm volatile("" : "+f"(value));
  else
    asm volatile("" : "+d"(value));
#endif
}
template <class Turn, int D, int Degree, class Real>
FIRN_HD inline decltype(auto) in_this_turn(const Turn&, const Stencil<D, Degree, Real>& stencil) {
  if constexpr (Turn::kRepeats) {
    Stencil<D, Degree, Real> s = stencil;
    for (int i = 0; i < stencil_nodes(Degree); ++i) {
      made_anew(s.axis[0].w[i]);
      made_anew(s.axis[0].z[i]);
      made_anew(s.axis[0].dw[i]);
      if constexpr (Degree > 1) made_anew(s.axis[0].g[i]);
    }
    return s;
  } else {
    return (stencil);
  }
}

// Visits the nodes of a stencil, the first axis outermost. What a node needs is made axis by axis:
// step(axis, i, above) makes of what is handed down, `begin` on the first axis, that which nodes
// with index i along `axis` (a std::integral_constant) share; visit(offset, made) gets what the
// last axis leaves, and where in a tile of `Side` nodes per axis its node lies.
template <int Unrolled, int Side, int Axis = 0, int D, int Degree, class Real, class Begin,
          class Step, class Visit>
FIRN_HD inline void walk_stencil(const Stencil<D, Degree, Real>& s, const Begin& begin,
                                 const Step& step, const Visit& visit, int offset = 0) {
  [[maybe_unused]] constexpr int kUnrolled = Unrolled;
  FIRN_UNROLL
  for (int i = 0; i < stencil_nodes(Degree); ++i) {
    const auto made = step(std::integral_constant<int, Axis>{}, i, begin);
    const int at = offset + i * tile_stride<D, Side>(Axis);
    if constexpr (Axis + 1 < D)
      walk_stencil<Unrolled, Side, Axis + 1>(s, made, step, visit, at);
    else
      visit(at, made);
  }
}

// What is handed down: the weight so far, and n values.
template <class Real, class Value, int n>
struct Weighted {
  Real w;
  Value value[n];
};

// The weight of node i along an axis times that of the axes above, which the first one has none of.
template <int Axis, int D, int Degree, class Real, class Above>
FIRN_HD inline Real weight_below(const Stencil<D, Degree, Real>& s, int i, const Above& above) {
  if constexpr (Axis == 0)
    return s.axis[0].w[i];
  else
    return above.w * s.axis[Axis].w[i];
}

// node += w (q + sum_a z_a Q_a). `tile` points to the stencil's lowest node in a tile of `Side`
// nodes per axis.
template <int Side, int D, int Degree, class Real, class Value, class Target, class Add>
FIRN_HD inline void scatter_affine(const Stencil<D, Degree, Real>& s, const Value& q,
                                   const Value (&Q)[D], Target* tile, Add&& add) {
  walk_stencil<unrolled_nodes<Degree, Real>(), Side>(
      s, Weighted<Real, Value, 1>{Real(1), {q}},
      [&](auto axis, int i, const Weighted<Real, Value, 1>& above) {
        constexpr int a = axis();
        return Weighted<Real, Value, 1>{weight_below<a>(s, i, above),
                                        {above.value[0] + s.axis[a].z[i] * Q[a]}};
      },
      [&](int at, const Weighted<Real, Value, 1>& made) { add(tile[at], made.w, made.value[0]); });
}

// node += w value.
template <int Side, int D, int Degree, class Real, class Value, class Add>
FIRN_HD inline void scatter_value(const Stencil<D, Degree, Real>& s, const Value& value,
                                  Value* tile, Add&& add) {
  struct Weight {
    Real w;
  };
  walk_stencil<unrolled_nodes<Degree, Real>(), Side>(
      s, Weight{Real(1)},
      [&](auto axis, int i, const Weight& above) {
        return Weight{weight_below<axis()>(s, i, above)};
      },
      [&](int at, const Weight& made) { add(tile[at], made.w, value); });
}

// scatter_value by rows of nodes, as scatter_affine_rows.
template <int Side, int Degree, class Real>
inline void scatter_value_rows(const Stencil<3, Degree, Real>& s, const Node<Real>& value,
                               Node<Real>* tile) {
  using Row = NodeRow<Real>;
  constexpr int n = stencil_nodes(Degree);
  const auto &x = s.axis[0], &y = s.axis[1], &z = s.axis[2];
  const Row weighted = Row::weights(z.w) * Row::repeat(value);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      Node<Real>* nodes = tile + (i * Side + j) * Side;
      (Row::load(nodes) + (x.w[i] * y.w[j]) * weighted).store(nodes);
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
template <int K, int Side, int D, int Degree, class Real, class Value, class Target, class Add>
FIRN_HD inline void scatter_tensor(const Stencil<D, Degree, Real>& s, const Value* c, Target* tile,
                                   Add&& add) {
  struct Coefficients {
    const Value* value;
  };
  walk_stencil<K == 2 ? unrolled_nodes<Degree, Real>() : 1, Side>(
      s, Coefficients{c},
      [&](auto axis, int i, const auto& above) {
        constexpr int a = axis(), n = int_power(K, D - 1 - a);
        Weighted<Real, Value, n> made;
        made.w = weight_below<a>(s, i, above);
        for (int b = 0; b < n; ++b)
          made.value[b] = axis_polynomial<K>(s.axis[a], i, above.value[b], above.value[n + b],
                                             above.value[(K - 1) * n + b]);
        return made;
      },
      [&](int at, const Weighted<Real, Value, 1>& made) { add(tile[at], made.w, made.value[0]); });
}

// g at any offset zeta, from the moments of the particle's own stencil [PolyPIC eq. 14].
template <int Degree, class Real>
FIRN_HD inline Real bending_mode(const AxisStencil<Degree, Real>& s, Real zeta) {
  if constexpr (Degree == 2) {
    const Real o = -s.z[1];
    return zeta * zeta - o * (1 - 4 * o * o) * zeta - Real(Scalar<Real>(0.25));
  }
  return zeta * zeta - Real(Scalar<Real>(1) / 3);
}

// M = (I + dt C)^-1 from I + dt C; where that is nearly singular, the identity: translation.
template <class T, int D>
FIRN_HD inline Mat<T, D> invert_motion(const Mat<T, D>& forward) {
  const auto singular = determinant(forward) < T(Scalar<T>(0.1));
  if (all(singular)) return Mat<T, D>::identity();
  Mat<T, D> M = inverse(forward);
  for (int a = 0; a < D; ++a)
    for (int b = 0; b < D; ++b) M(a, b) = select(singular, T(Scalar<T>(a == b ? 1 : 0)), M(a, b));
  return M;
}

// As scatter_tensor, with the modes taken at zeta = M z, M = (I + dt C)^-1: the affine map mixes
// the axes, so there is nothing to factorise [PolyPIC 5.1].
template <int K, int Side, int D, int Degree, class Real, class Value, class Target, class Add>
FIRN_HD inline void scatter_mapped(const Stencil<D, Degree, Real>& s, const Mat<Real, D>& map,
                                   const Value* c, Target* tile, Add&& add) {
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
template <int Side, int D, int Degree, class Real, class Value, class Target, class Add>
FIRN_HD inline void scatter_gradient(const Stencil<D, Degree, Real>& s, const Value (&T)[D],
                                     Target* tile, Add&& add) {
  // The sum over the axes so far, and w T_a of those to come.
  struct Forces {
    const Value* value;
  };
  walk_stencil<unrolled_nodes<Degree, Real>(), Side>(
      s, Forces{T},
      [&](auto axis, int i, const auto& above) {
        constexpr int a = axis(), n = D - a;
        const Real w = s.axis[a].w[i], dw = s.axis[a].dw[i];
        Weighted<Real, Value, n> made;
        if constexpr (a == 0)
          made.value[0] = dw * above.value[0];
        else
          made.value[0] = w * above.value[0] + dw * above.value[1];
        for (int b = 1; b < n; ++b) made.value[b] = w * above.value[b + (a == 0 ? 0 : 1)];
        return made;
      },
      [&](int at, const Weighted<Real, Value, 1>& made) { add(tile[at], Real(1), made.value[0]); });
}

}  // namespace firn
