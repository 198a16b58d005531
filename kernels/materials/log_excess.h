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

// (|F|^2 - d) / 2 - ln J of B = F F^T - I. It is half of tr B - ln det(I + B), and det(I + B) - 1
// is the sum of the invariants of B.
template <class T, int D>
FIRN_HD inline T log_excess_of(const Mat<T, D>& B) {
  using Real = Scalar<T>;
  const T tr = trace(B), det = determinant(B);
  if constexpr (D == 2) {
    return T(Real(0.5)) * (log_excess(tr + det) - det);
  } else {
    const T second = T(Real(0.5)) * (tr * tr - contract(B, B));
    return T(Real(0.5)) * (log_excess(tr + second + det) - second - det);
  }
}

}  // namespace firn
