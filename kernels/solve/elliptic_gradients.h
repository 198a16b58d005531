// The vector operations of conjugate gradients on the cells of an elliptic system, each fused with
// the reduction that needs its result, and the last one with the preconditioner's first sweep.
#pragma once

#include "kernels/solve/conjugate_gradients.h"
#include "kernels/solve/elliptic_system.h"
#include "kernels/solve/levels.h"

namespace firn {

template <class Real>
struct EllipticVectors {
  LevelView<Real> level;  // coefficients and neighbours; its solution is `work`, its rhs `residual`
  const Real* rhs = nullptr;
  Real *solution = nullptr, *residual = nullptr, *direction = nullptr;
  Real* work = nullptr;          // M r, then A p: one is dead before the other is formed
  double* partials = nullptr;    // kReductionColumns columns of `max_blocks`
  std::uint32_t max_blocks = 0;  // length of a column
  SolveControl* control = nullptr;
};

template <class Real>
struct ComponentView;

// What a system has beside its stencil: a symmetric operator B that is nowhere negative, as of
// bodies that are moved by all of the cells about them at once. What it adds to a block changes the
// sums of that block, which it leaves in the partials.
template <class Real>
struct EllipticTerm {
  virtual ~EllipticTerm() = default;
  // work += B direction; <direction, work>.
  virtual void add_product(const EllipticVectors<Real>& v, std::uint32_t blocks) = 0;
  // residual -= B solution; the largest magnitude of the residual.
  virtual void subtract_product(const EllipticVectors<Real>& v, std::uint32_t blocks) = 0;
  // Of the singular components of the stencil, those whose constants B does not map to 0 are tied.
  virtual void tie(const ComponentView<Real>& components, std::uint32_t count,
                   std::uint32_t blocks) = 0;
};

// Sets inactive cells to 0 and forgets what blocks held that are empty now.
template <class Exec, int D, class Real>
void prepare_guess(Exec& exec, const EllipticVectors<Real>& view, std::uint32_t blocks);

// residual = rhs - A solution (rhs alone with `ignore_solution`), direction = 0; its largest
// magnitude goes to the control block. A `term` of the system may be null.
template <class Exec, int D, class Real>
void compute_residual(Exec& exec, const EllipticVectors<Real>& view, bool ignore_solution,
                      EllipticTerm<Real>* term, std::uint32_t blocks);

// After the cycle has left <r, M r> per block in the partials: p = M r + beta p.
template <class Exec, int D, class Real>
void update_direction(Exec& exec, const EllipticVectors<Real>& view, std::uint32_t blocks);
// work = A p, alpha.
template <class Exec, int D, class Real>
void apply_operator(Exec& exec, const EllipticVectors<Real>& view, EllipticTerm<Real>* term,
                    std::uint32_t blocks);
// x += alpha p, r -= alpha A p, work = the first sweep of M r, and whether to go on.
template <class Exec, int D, class Real>
void update_solution(Exec& exec, const EllipticVectors<Real>& view, std::uint32_t blocks);

}  // namespace firn
