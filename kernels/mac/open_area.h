// How much of a face or an edge lies outside a body whose signed distance is known at its corners
// and linear between them. Cut cells after [Batty et al. 2007].
#pragma once

#include "kernels/math/scalar.h"
#include "kernels/math/vec.h"

namespace firn {

// Share of a segment with distances a and b at its ends that lies where the distance is positive.
template <class Real>
FIRN_HD inline Real open_length(Real a, Real b) {
  if (a > Real(0) && b > Real(0)) return Real(1);
  if (!(a > Real(0)) && !(b > Real(0))) return Real(0);
  return (a > Real(0) ? a : b) / (abs(a) + abs(b));
}

// The same for a unit square, corners in turn: the area of its polygon of positive distance. Where
// a corner is open, those at distance 0 belong to the polygon too: a face in the edge of a box has
// 0 at three corners and is open.
template <class Real>
FIRN_HD inline Real open_square(const Real (&phi)[4]) {
  constexpr int kX[4] = {0, 1, 1, 0}, kY[4] = {0, 0, 1, 1};
  Real first_x = 0, first_y = 0, last_x = 0, last_y = 0, twice = 0;
  bool begun = false, open = false;
  for (int i = 0; i < 4; ++i) open = open || phi[i] > Real(0);
  if (!open) return Real(0);
  const auto add = [&](Real x, Real y) {
    if (begun)
      twice += last_x * y - x * last_y;
    else
      first_x = x, first_y = y;
    begun = true;
    last_x = x, last_y = y;
  };
  for (int i = 0; i < 4; ++i) {
    const int j = (i + 1) % 4;
    const bool here = phi[i] >= Real(0), there = phi[j] >= Real(0);
    if (here) add(static_cast<Real>(kX[i]), static_cast<Real>(kY[i]));
    if (here == there) continue;
    const Real t = phi[i] / (phi[i] - phi[j]);
    add(static_cast<Real>(kX[i]) + t * static_cast<Real>(kX[j] - kX[i]),
        static_cast<Real>(kY[i]) + t * static_cast<Real>(kY[j] - kY[i]));
  }
  twice += last_x * first_y - first_x * last_y;
  return clamp(Real(0.5) * twice, Real(0), Real(1));
}

// Of a segment or a square whose ends or corners, in turn, are all closed, with the distance at its
// middle: its halves, or the triangles that meet there.
template <int N, class Real>
FIRN_HD inline Real open_around(Real middle, const Real (&phi)[N]) {
  if (!(middle > Real(0))) return Real(0);
  Real open = 0, before = middle / (middle - phi[N - 1]);
  for (int i = 0; i < N; ++i) {
    const Real along = middle / (middle - phi[i]);  // from the middle to the corner
    open += N == 2 ? along : before * along;
    before = along;
  }
  return open * (Real(1) / N);
}

}  // namespace firn
