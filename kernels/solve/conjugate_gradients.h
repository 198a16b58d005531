// Preconditioned conjugate gradients: their scalars and decisions, all on the device, and their
// vector operations in any space (krylov.h). Those of elliptic systems, fused, are in
// elliptic_gradients.h.
#pragma once

#include "kernels/solve/krylov.h"

namespace firn {

inline constexpr std::uint32_t kMaxRestarts = 3;
inline constexpr int kReductionColumns = 3;

struct SolveControl : KrylovControl {
  std::uint32_t restarts = 0;
  std::uint32_t singular_components = 0;
  double target = 0;  // of the iteration: the tolerance, or half of what rounding leaves
  // Norm of the right-hand side as given, as are `residual`, `initial` and `rounding`: the largest
  // magnitude over the unknowns, or what the space weighs.
  double rhs = 0;
  double removed_means = 0;  // the same before its means were removed; 0: none are
  double rz = 0;             // <r, M r> of the last iteration; 0 starts anew
  double alpha = 0, beta = 0;
};

// Takes the residual's magnitude for the right-hand side's: that of its compatible part.
template <class Exec>
void adopt_rhs(Exec& exec, SolveControl* control);

// Whether the true residual ends the solve; if not, conjugate gradients start anew from it.
template <class Exec>
void judge_residual(Exec& exec, SolveControl* control, bool initial);

template <class Real>
struct ConjugateVectors {
  const Real* rhs = nullptr;
  Real *solution = nullptr, *residual = nullptr, *direction = nullptr;
  Real* work = nullptr;        // z, then A p: 0 wherever A is to add to it
  double* partials = nullptr;  // kReductionColumns columns of a space's bound of blocks
  SolveControl* control = nullptr;
};

template <class Space>
struct ConjugateSpace {
  using Real = typename Space::Real;
  Space space;
  DeviceCount blocks;
  ConjugateVectors<Real> v;
};

// What A does to a guess of 0, in d dimensions.
template <int D, class Real>
struct NoProduct {
  FIRN_HD Real operator()(std::uint32_t, std::uint32_t, std::uint64_t) const { return Real(0); }
};

// Clears the work; what is no unknown is 0 in the guess.
template <class Exec, class Space>
void begin_gradients(Exec& exec, const ConjugateSpace<Space>& view);
// residual = rhs - A solution, direction = 0. `product` says what A solution is.
template <class Exec, class Space, class Product>
void subtract_product(Exec& exec, const ConjugateSpace<Space>& view, const Product& product);
// p = z + beta p. `inverse` says what z = G^-1 r is.
template <class Exec, class Space, class Inverse>
void next_conjugate(Exec& exec, const ConjugateSpace<Space>& view, const Inverse& inverse);
// x += alpha p, r -= alpha A p, and whether to go on. `product` says what A p is.
template <class Exec, class Space, class Product>
void step_along(Exec& exec, const ConjugateSpace<Space>& view, const Product& product);

}  // namespace firn
