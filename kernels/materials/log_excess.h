// By how much a strain exceeds its logarithm: what energies with ln J are made of near rest, where
// the difference of their terms would leave nothing but rounding.
#pragma once

#include "kernels/materials/principal.h"

namespace firn {

// e - ln(1 + e). Near 0, where it is e^2/2, from ln(1 + e) = 2 artanh q with q = e / (2 + e): as
// e - 2 q = e q, it is e q less 2 (q^3/3 + q^5/5 + ...), here to a rounding of double precision.
template <class T>
FIRN_HD inline T log_excess(const T& e) {
  using Real = Scalar<T>;
  const T q = e / (T(Real(2)) + e), s = q * q;
  T series = T(Real(1) / 13);
  series = s * series + T(Real(1) / 11);
  series = s * series + T(Real(1) / 9);
  series = s * series + T(Real(1) / 7);
  series = s * series + T(Real(1) / 5);
  series = s * series + T(Real(1) / 3);
  return select(e * e < T(Real(1) / 64), q * (e - T(Real(2)) * s * series), e - log_one_plus(e));
}

// (|F|^2 - d) / 2 - ln J of B = F F^T - I. It is half of tr B - ln det(I + B), and near rest the
// latter is had from the invariants of B, whose sum is det(I + B) - 1. Far from it that sum is off
// by epsilons of |B|^d, which is more than the determinant where a long thin strain has a small J.
template <class T, int D>
FIRN_HD inline T log_excess_of(const Mat<T, D>& B, const T& log_volume) {
  using Real = Scalar<T>;
  const T tr = trace(B), squares = contract(B, B);
  const auto near = squares < T(Real(0.25));
  const T det = determinant(B);
  T second = T(Real(0));
  if constexpr (D == 3) second = T(Real(0.5)) * (tr * tr - squares);
  const T excess = log_excess(select(near, tr + second + det, T(Real(0))));
  return select(near, T(Real(0.5)) * (excess - second - det), T(Real(0.5)) * tr - log_volume);
}

}  // namespace firn
