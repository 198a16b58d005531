// What one particle adds to the nodes of its stencil: momentum and mass by its modes, and the
// impulse of its internal force. P2G reads the modes from the particle's channels, the fused step
// has them at hand.
#pragma once

#include <type_traits>

#include "kernels/transfer/scatter.h"
#include "kernels/transfer/transfer.h"

namespace firn {

// What V0 tau is scaled with to give the impulse of the internal force per cell: MLS-MPM's D^-1, or
// 1 for the classical form, whose weights' gradients carry it.
template <int Degree, class Real>
FIRN_HD inline Real impulse_scale(const TransferParams& params, Real dt, Real inv_dx) {
  const Real inverse_moment = params.gradient_force ? Real(1) : Degree == 2 ? Real(4) : Real(3);
  return -dt * inverse_moment * inv_dx;
}

// `map_scale` is dt / dx with the step that produced the coefficients.
template <int D, int Degree, ModeSet Set, class Real>
struct Contribution {
  static constexpr int kModes = mode_count(Set, D);

  const TransferParams& params;
  Real map_scale;

  // add(turn) when it is the turn of a particle, or, where what a loop over turns keeps does not
  // fit the registers, with turns at each node.
  template <class Turns, class Add>
  FIRN_HD static void take(const Turns& turns, Add&& add) {
    if constexpr (sizeof(Real) == 4 && kModes <= 9)
      turns.take(add);
    else
      add(turns);
  }

  // c: coefficients times mass, the mass in c[0]. force: what node += sum_a z_a force_a (MLS-MPM,
  // [G201 p39-46]: -dt D^-1 V0 tau z) or node += sum_a dw_a force_a (classical: -dt V0 tau grad w)
  // adds, z in cells. `momentum` and `impulse` point to the stencil's lowest node in tiles of
  // `Side` nodes per axis; impulses go to the first unless forces are kept apart.
  template <int Side, class Turn>
  FIRN_HD void add(const Turn& turn, const Stencil<D, Degree, Real>& stencil,
                   Node<Real> (&c)[kModes], const Node<Real> (&force)[D], Node<Real>* momentum,
                   Node<Real>* impulse) const {
    const auto& s = in_this_turn(turn, stencil);
    const auto into = [&](Node<Real>& node, Real w, const Node<Real>& value) {
      turn.accumulate(node, w * value);
    };
    const bool fuse = !params.gradient_force && !params.separate_force;
    if constexpr (Set == ModeSet::kAffine) {
      Node<Real> Q[D];
      map_affine(c);
      for (int a = 0; a < D; ++a) {
        Q[a] = c[1 + a];
        if (fuse) Q[a] += force[a];
      }
      add_affine<Side>(turn, s, c[0], Q, momentum);
      if (fuse) return;
    } else {
      const bool fused_force = sums_force();
      if (fused_force)
        for (int a = 0; a < D; ++a) c[linear_mode(Set, D, a)] += force[a];
      if (params.affine_map)
        scatter_mapped<axis_modes(Set), Side>(s, inverse_map(c), c, momentum, into);
      else
        scatter_tensor<axis_modes(Set), Side>(s, c, momentum, into);
      if (fused_force) return;
    }
    Node<Real>* nodes = params.separate_force ? impulse : momentum;
    if (params.gradient_force)
      scatter_gradient<Side>(s, force, nodes, into);
    else
      add_affine<Side>(turn, s, Node<Real>::zero(), force, nodes);
  }

  // Whether the force may be added to the linear modes of `c` beforehand: then add_modes does it
  // all.
  FIRN_HD bool sums_force() const {
    return !params.gradient_force && !params.separate_force && !params.affine_map;
  }
  template <int Side, class Turn>
  FIRN_HD void add_modes(const Turn& turn, const Stencil<D, Degree, Real>& stencil,
                         const Node<Real> (&c)[kModes], Node<Real>* momentum) const {
    const auto& s = in_this_turn(turn, stencil);
    if constexpr (Set == ModeSet::kAffine) {
      Node<Real> Q[D];
      for (int a = 0; a < D; ++a) Q[a] = c[1 + a];
      add_affine<Side>(turn, s, c[0], Q, momentum);
    } else {
      scatter_tensor<axis_modes(Set), Side>(s, c, momentum,
                                            [&](Node<Real>& node, Real w, const Node<Real>& value) {
                                              turn.accumulate(node, w * value);
                                            });
    }
  }
  template <int Side, class Turn>
  FIRN_HD void add_affine(const Turn& turn, const Stencil<D, Degree, Real>& s, const Node<Real>& q,
                          const Node<Real> (&Q)[D], Node<Real>* nodes) const {
    if constexpr (D == 3 && kHasNodeRows && std::is_floating_point_v<Real>)
      scatter_affine_rows<Side>(s, q, Q, nodes);
    else
      scatter_affine<Side>(s, q, Q, nodes, [&](Node<Real>& node, Real w, const Node<Real>& value) {
        turn.accumulate(node, w * value);
      });
  }

  // xi = affine: M = (I + dt C)^-1 with the step that produced C.
  FIRN_HD Mat<Real, D> inverse_map(const Node<Real>* c) const {
    const Real scale = map_scale / c[0].mass();
    Mat<Real, D> forward = Mat<Real, D>::identity();
    for (int b = 0; b < D; ++b)
      for (int a = 0; a < D; ++a) forward(a, b) += scale * c[linear_mode(Set, D, b)][a];
    return invert_motion(forward);
  }

  // In the affine set C zeta = (C M) z, still affine.
  FIRN_HD void map_affine(Node<Real>* c) const {
    if (!params.affine_map) return;
    const Mat<Real, D> map = inverse_map(c);
    Node<Real> mapped[D];
    for (int b = 0; b < D; ++b) {
      mapped[b] = Node<Real>::zero();
      for (int a = 0; a < D; ++a) mapped[b] += map(a, b) * c[1 + a];
    }
    for (int b = 0; b < D; ++b) c[1 + b] = mapped[b];
  }
};

}  // namespace firn
