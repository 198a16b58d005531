// Lagged Rayleigh damping of a particle [T A.4.2]: its stiffness at the step's begin, made
// semidefinite, answers the rate of strain. Of the velocity gradient it sees the symmetric part
// only, so that turning is not damped, as it would be where there is stress, and angular momentum
// is kept. As it stays the same while a step is solved for, what it dissipates is a quadratic
// potential of the velocities.
#pragma once

#include "kernels/implicit/stiffness.h"

namespace firn {

// The entries of a symmetric matrix in its upper triangle.
template <int D>
FIRN_HD constexpr int symmetric_entry(int i, int j) {
  const int low = i < j ? i : j, high = i < j ? j : i;
  return low * D - low * (low - 1) / 2 + high - low;
}

// Rows of a particle's damping in memory.
template <int D>
constexpr int damping_components() {
  return symmetric_components(symmetric_components(D));
}

// W of the potential sum_kl W_kl e_k e_l / 2, of the entries e_k of the rate of strain in its upper
// triangle.
template <class T, int D>
struct DampingTensor {
  static constexpr int kStrains = symmetric_components(D);
  T W[damping_components<D>()];

  // f(number, row, column) for the entries of an upper triangle.
  template <class F>
  static FIRN_HD void for_each_strain(F&& f) {
    for (int a = 0, k = 0; a < D; ++a)
      for (int b = a; b < D; ++b, ++k) f(k, a, b);
  }
  // `respond`: the stress that answers a symmetric matrix.
  template <class Respond>
  static FIRN_HD DampingTensor of(Respond&& respond) {
    DampingTensor d;
    for_each_strain([&](int l, int a, int b) {
      Mat<T, D> rate = Mat<T, D>::zero();
      rate(a, b) = rate(b, a) = T(1);
      const Mat<T, D> G = respond(rate);
      for_each_strain([&](int k, int i, int j) {
        if (k <= l) d.W[symmetric_entry<kStrains>(k, l)] = i == j ? G(i, j) : G(i, j) + G(j, i);
      });
    });
    return d;
  }

  // The stress that answers a velocity gradient.
  FIRN_HD Mat<T, D> response(const Mat<T, D>& A) const {
    T rate[kStrains];
    for_each_strain(
        [&](int k, int i, int j) { rate[k] = i == j ? A(i, j) : T(0.5f) * (A(i, j) + A(j, i)); });
    Mat<T, D> G;
    for_each_strain([&](int k, int i, int j) {
      T sum = T(0);
      for (int l = 0; l < kStrains; ++l) sum = sum + W[symmetric_entry<kStrains>(k, l)] * rate[l];
      G(i, j) = G(j, i) = i == j ? sum : T(0.5f) * sum;
    });
    return G;
  }
  // Q_kl: how a node's velocity along the axis l changes the force on it along k; `slope` is the
  // gradient of its weight.
  FIRN_HD Mat<T, D> at_node(const Vec<T, D>& slope) const {
    Mat<T, D> Q;
    for (int l = 0; l < D; ++l) {
      Mat<T, D> A = Mat<T, D>::zero();
      for (int b = 0; b < D; ++b) A(l, b) = slope[b];
      const Vec<T, D> force = response(A) * slope;
      for (int k = 0; k < D; ++k) Q(k, l) = force[k];
    }
    return Q;
  }
};

}  // namespace firn
