// The second derivative of an isotropic energy at a particle, said in the principal axes of F = U
// diag(s) V^T: what a solver applies without forming a tensor of fourth order, and how it is made
// semidefinite [Teran et al. 2005; Stomakhin et al. 2012; T A.2].
#pragma once

#include "kernels/base/integers.h"
#include "kernels/materials/principal.h"
#include "kernels/math/generic_scalar.h"
#include "kernels/math/symmetric_eigen.h"

namespace firn {

// dP = U K(U^T dF V) V^T. On the diagonal, K is the matrix `stretch`; a pair (i, j) beside it
// shears with `shear` and spins with `spin`: K_ij = (shear (M_ij + M_ji) + spin (M_ij - M_ji)) / 2.
template <class T, int D>
struct PrincipalStiffness {
  static constexpr int kPairs = D * (D - 1) / 2;
  Mat<T, D> stretch;
  T shear[kPairs], spin[kPairs];

  static FIRN_HD PrincipalStiffness of(const PrincipalStress<T, D>& law) {
    PrincipalStiffness k;
    k.stretch = law.dP;
    for_each_pair([&](int p, int i, int j) {
      k.shear[p] = law.difference(i, j);
      k.spin[p] = law.sum(i, j);
    });
    return k;
  }

  // f(number, i, j) for i < j.
  template <class F>
  static FIRN_HD void for_each_pair(F&& f) {
    for (int i = 0, p = 0; i < D; ++i)
      for (int j = i + 1; j < D; ++j, ++p) f(p, i, j);
  }

  FIRN_HD Mat<T, D> apply(const Mat<T, D>& M) const {
    Mat<T, D> K = Mat<T, D>::zero();
    for (int i = 0; i < D; ++i)
      for (int j = 0; j < D; ++j) K(i, i) = K(i, i) + stretch(i, j) * M(j, j);
    for_each_pair([&](int p, int i, int j) {
      const T even = T(0.5f) * shear[p] * (M(i, j) + M(j, i));
      const T odd = T(0.5f) * spin[p] * (M(i, j) - M(j, i));
      K(i, j) = even + odd;
      K(j, i) = even - odd;
    });
    return K;
  }

  // Q_kl = K(e_l t^T)_k. t: how a node's velocity along the axis l of U changes the force on it
  // along the axis k, where t is the node's weight gradient taken along with F V.
  FIRN_HD Mat<T, D> at_node(const Vec<T, D>& t) const {
    Mat<T, D> Q;
    for (int k = 0; k < D; ++k)
      for (int l = 0; l < D; ++l) Q(k, l) = stretch(k, l) * t[k] * t[l];
    for_each_pair([&](int p, int i, int j) {
      const T same = T(0.5f) * (shear[p] + spin[p]);
      const T cross = T(0.5f) * (shear[p] - spin[p]) * t[i] * t[j];
      Q(i, i) = Q(i, i) + same * t[j] * t[j];
      Q(j, j) = Q(j, j) + same * t[i] * t[i];
      Q(i, j) = Q(i, j) + cross;
      Q(j, i) = Q(j, i) + cross;
    });
    return Q;
  }
};

// The nearest stiffness without negative eigenvalues, whose axes are those of `stretch`, of shears
// and of spins.
template <class T, int D>
FIRN_HD inline void make_semidefinite(PrincipalStiffness<T, D>& k) {
  Mat<T, D> Q;
  Vec<T, D> lambda;
  symmetric_eigen(k.stretch, Q, lambda);
  for (int i = 0; i < D; ++i) lambda[i] = max(lambda[i], T(0));
  k.stretch = from_principal(Q, lambda);
  for (int p = 0; p < PrincipalStiffness<T, D>::kPairs; ++p) {
    k.shear[p] = max(k.shear[p], T(0));
    k.spin[p] = max(k.spin[p], T(0));
  }
}

// Rows of a particle's stiffness in memory: U, F V, stretch (upper triangle), shears, spins,
// viscosity.
template <int D>
constexpr int stiffness_components() {
  return 2 * D * D + symmetric_components(D) + D * (D - 1) + 1;
}

}  // namespace firn
