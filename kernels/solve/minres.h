// MINRES [Paige & Saunders 1975] with a preconditioner, for systems that are symmetric and may be
// indefinite, in any space (krylov.h).
#pragma once

#include "kernels/solve/krylov.h"

namespace firn {

// Scalars by the names of Paige & Saunders. Residuals are sqrt(r . G^-1 r); what a preconditioner
// that is a solve of its own leaves of a square below 0 counts as 0.
struct MinresControl : KrylovControl {
  double beta = 0, previous_beta = 0, alpha = 0;
  double cs = -1, sn = 0, dbar = 0, epsilon = 0, phibar = 0;
  double phi = 0, gamma = 1, delta = 0, previous_epsilon = 0;  // of the iteration that has ended
};

template <class Real>
struct MinresVectors {
  KrylovVector<Real> in, out;  // what A is applied to; A of it, or the next G^-1 r2
  KrylovVector<Real> w1, w2;
  Real *r1 = nullptr, *r2 = nullptr;
  double* partials = nullptr;  // two columns of a space's bound of blocks
  MinresControl* control = nullptr;
};

template <class Space>
struct MinresView {
  using Real = typename Space::Real;
  Space space;
  DeviceCount blocks;
  MinresVectors<Real> v;
};

// Clears scalars and vectors but `in` and r2. Before the first iteration the user leaves the
// residual of the guess in r2 and in the second column of partials the guess's x . G x, which says
// how much rounding there is in it; 0 unless it is set.
template <class Exec, class Space>
void begin_minres(Exec& exec, const MinresView<Space>& view, const SolveOptions& options,
                  const std::uint32_t* stop);

// The two halves of an iteration. The first one comes when `inverse` can say what G^-1 r2 is, ends
// the iteration before, which moves the solution, and sets `in`; if there was none, it judges the
// first residual. The second one comes when `product` can say what A in is, and makes the next r2.
// Neither does anything once control->done is set.
template <class Exec, class Space, class Inverse>
void advance_minres(Exec& exec, const MinresView<Space>& view, const Inverse& inverse, bool first);
template <class Exec, class Space, class Product>
void multiply_minres(Exec& exec, const MinresView<Space>& view, const Product& product);

}  // namespace firn
