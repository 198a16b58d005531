// One axis of a B-spline stencil, in cell units: weights, node offsets and the polynomial modes
// of a transfer. Everything a transfer needs is a tensor product of these, so scatter and
// gather work axis by axis. Sources: [G201 p15], [PolyPIC 6.3, table 2], [APIC 5.3].
#pragma once

#include "kernels/fields/place.h"
#include "kernels/math/vec.h"

namespace firn {

// Nodes per axis of the B-spline of a degree.
FIRN_HD constexpr int stencil_nodes(int degree) { return degree + 1; }

// How often loops over them are unrolled on CUDA: beyond this, the nodes of a stencil do not fit
// the registers, and the weights do better in local memory.
template <int Degree, class Real>
FIRN_HD constexpr int unrolled_nodes() {
  return sizeof(Real) == 4 && Degree <= 2 ? stencil_nodes(Degree) : 1;
}

// The lowest node of the stencil is floor(x / dx - stencil_shift).
template <class Real>
FIRN_HD constexpr Real stencil_shift(int degree) {
  return degree == 1 ? Real(0) : degree == 2 ? Real(0.5) : Real(1);
}

// As stencil_shift, for nodes that lie at half-integer multiples of dx.
template <class Real>
FIRN_HD constexpr Real staggered_shift(int degree) {
  return stencil_shift<Real>(degree) + Real(0.5);
}

// kModes = 2: the modes 1 and z; kModes = 3: also g.
template <int Degree, class T>
struct AxisStencil {
  static constexpr int kNodes = Degree + 1;
  T w[kNodes];        // N(x_p - x_i)
  T dw[kNodes];       // dN/dx, 1/cell
  T z[kNodes];        // x_i - x_p, cells
  T linear[kNodes];   // w z / M_2: the functional that reads the coefficient of z from node values
  T g[kNodes];        // mode g(z) = z^2 - (M_3/M_2) z - M_2
  T bending[kNodes];  // w g / sum(w g^2): the functional of mode g
};

// Written in place: compilers keep what is never copied in registers.
template <class T>
FIRN_HD inline void fill_stencil(AxisStencil<1, T>& s, const T& d) {
  using Real = Scalar<T>;
  s.w[0] = 1 - d;
  s.w[1] = d;
  // M_2 vanishes on a node; w z / M_2 is the finite difference across the cell [APIC 5.3].
  s.dw[0] = s.linear[0] = T(Real(-1));
  s.dw[1] = s.linear[1] = T(Real(1));
  s.z[0] = -d;
  s.z[1] = 1 - d;
  for (int i = 0; i < 2; ++i) s.g[i] = s.bending[i] = T(Real(0));  // two nodes carry no third mode
}
template <class T>
FIRN_HD inline void fill_stencil(AxisStencil<2, T>& s, const T& d) {
  using Real = Scalar<T>;
  const T o = d - T(Real(0.5));  // offset from the closest node, the middle one
  s.w[0] = T(Real(0.5)) * (1 - d) * (1 - d);
  s.w[1] = T(Real(0.75)) - o * o;
  s.w[2] = T(Real(0.5)) * d * d;
  s.dw[0] = d - 1;
  s.dw[1] = -2 * o;
  s.dw[2] = d;
  const T skew = o * (1 - 4 * o * o);  // M_3 / M_2
  for (int i = 0; i < 3; ++i) {
    const T z = T(static_cast<Real>(i - 1)) - o;
    s.z[i] = z;
    s.linear[i] = 4 * s.w[i] * z;  // M_2 = 1/4
    s.g[i] = z * z - skew * z - T(Real(0.25));
  }
  // w g / sum(w g^2) is (1, -2, 1) / 2 wherever the particle is; the quotient itself would round
  // badly near |o| = 1/2.
  s.bending[0] = T(Real(0.5));
  s.bending[1] = T(Real(-1));
  s.bending[2] = T(Real(0.5));
}
template <class T>
FIRN_HD inline void fill_stencil(AxisStencil<3, T>& s, const T& d) {
  using Real = Scalar<T>;
  const T e = 1 - d;
  s.w[0] = e * e * e / 6;
  s.w[1] = (3 * d * d * d - 6 * d * d + 4) / 6;
  s.w[2] = (3 * e * e * e - 6 * e * e + 4) / 6;
  s.w[3] = d * d * d / 6;
  s.dw[0] = T(Real(-0.5)) * e * e;
  s.dw[1] = T(Real(0.5)) * (3 * d * d - 4 * d);
  s.dw[2] = T(Real(-0.5)) * (3 * e * e - 4 * e);
  s.dw[3] = T(Real(0.5)) * d * d;
  T norm = 0;  // M_4 - M_2^2, at least 0.1597; M_3 = 0
  for (int i = 0; i < 4; ++i) {
    const T z = T(static_cast<Real>(i - 1)) - d;
    s.z[i] = z;
    s.linear[i] = 3 * s.w[i] * z;  // M_2 = 1/3
    s.g[i] = z * z - T(Real(1) / 3);
    norm += s.w[i] * s.g[i] * s.g[i];
  }
  for (int i = 0; i < 4; ++i) s.bending[i] = s.w[i] * s.g[i] / norm;
}

// The stencil of a particle along all axes, and its lowest node.
template <int D, int Degree, class T>
struct Stencil {
  Vec<NodeIndex<T>, D> base;
  AxisStencil<Degree, T> axis[D];
};

template <int D, int Degree, class Real>
FIRN_HD inline Stencil<D, Degree, Real> make_stencil(const Vec<Real, D>& x, Real inv_dx) {
  Stencil<D, Degree, Real> s;
  for (int a = 0; a < D; ++a) {
    const AxisBase<Real> b = axis_base(x[a], inv_dx, stencil_shift<Real>(Degree));
    s.base[a] = b.node;
    fill_stencil(s.axis[a], b.offset);
  }
  return s;
}

// The same on the faces of one axis, which lie half a cell off the nodes along the other axes.
template <int D, int Degree, class T>
FIRN_HD inline Stencil<D, Degree, T> make_face_stencil(const Vec<T, D>& x, Scalar<T> inv_dx,
                                                       int axis) {
  using Real = Scalar<T>;
  Stencil<D, Degree, T> s;
  FIRN_UNROLL_AXES
  for (int b = 0; b < D; ++b) {
    const Real shift = b == axis ? stencil_shift<Real>(Degree) : staggered_shift<Real>(Degree);
    const AxisBase<T> base = axis_base(x[b], inv_dx, shift);
    s.base[b] = base.node;
    fill_stencil(s.axis[b], base.offset);
  }
  return s;
}

// The same on the centres of cells.
template <int D, int Degree, class Real>
FIRN_HD inline Stencil<D, Degree, Real> make_cell_stencil(const Vec<Real, D>& x, Real inv_dx) {
  return make_face_stencil<D, Degree>(x, inv_dx, -1);
}

// M_2 of the kernel along one axis, cells^2: what D_p is made of.
template <int Degree, class T>
FIRN_HD inline T second_moment(const T& offset) {
  using Real = Scalar<T>;
  if constexpr (Degree == 1) return offset * (1 - offset);
  return T(Degree == 2 ? Real(0.25) : Real(1) / 3);
}

}  // namespace firn
