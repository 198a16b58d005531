// The vector operations of preconditioned conjugate gradients on the finest level, each fused with
// the reduction that needs its result, and the decisions between them, all on the device.
#pragma once

#include "kernels/solve/elliptic_system.h"
#include "kernels/solve/levels.h"

namespace firn {

inline constexpr std::uint32_t kMaxRestarts = 3;
inline constexpr int kReductionColumns = 3;

template <class Real>
struct ConjugateView {
  LevelView<Real> level;  // coefficients and neighbours; its solution is `work`, its rhs `residual`
  const Real* rhs = nullptr;
  Real *solution = nullptr, *residual = nullptr, *direction = nullptr;
  Real* work = nullptr;          // M r, then A p: one is dead before the other is formed
  double* partials = nullptr;    // kReductionColumns columns of `max_blocks`
  std::uint32_t max_blocks = 0;  // length of a column
  SolveControl* control = nullptr;
};

struct SolveOptions {
  // Converged once no cell's residual exceeds max(relative * largest |rhs|, absolute).
  double relative = 1e-6, absolute = 0;
  std::uint32_t max_iterations = 200;
};

// Clears the scalars; `done` and `stopped` if the step has been stopped. The number of singular
// components is known where the matrix is that of the solve before.
template <class Exec>
void begin_solve(Exec& exec, const SolveOptions& options, const std::uint32_t* stop,
                 std::uint32_t singular_components, SolveControl* control);

// Sets inactive cells to 0 and forgets what blocks held that are empty now.
template <class Exec, int D, class Real>
void prepare_guess(Exec& exec, const ConjugateView<Real>& view, std::uint32_t blocks);

// residual = rhs - A solution (rhs alone with `ignore_solution`), direction = 0; its largest
// magnitude goes to the control block.
template <class Exec, int D, class Real>
void compute_residual(Exec& exec, const ConjugateView<Real>& view, bool ignore_solution,
                      std::uint32_t blocks);

// Takes the residual's magnitude for the right-hand side's: that of its compatible part.
template <class Exec>
void adopt_rhs(Exec& exec, SolveControl* control);

// Whether the true residual ends the solve; if not, conjugate gradients start anew from it.
template <class Exec>
void judge_residual(Exec& exec, SolveControl* control, bool initial);

// After the cycle has left <r, M r> per block in the partials: p = M r + beta p.
template <class Exec, int D, class Real>
void update_direction(Exec& exec, const ConjugateView<Real>& view, std::uint32_t blocks);
// work = A p, alpha.
template <class Exec, int D, class Real>
void apply_operator(Exec& exec, const ConjugateView<Real>& view, std::uint32_t blocks);
// x += alpha p, r -= alpha A p, work = the first sweep of M r, and whether to go on.
template <class Exec, int D, class Real>
void update_solution(Exec& exec, const ConjugateView<Real>& view, std::uint32_t blocks);

}  // namespace firn
