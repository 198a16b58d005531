// Preconditioned conjugate gradients: the order of their operators, for any A and G that enqueue
// them, and A and G of a space (kernels/solve/krylov.h). Scalars stay on the device; the host reads
// them every few iterations.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/solve/conjugate_gradients.h"
#include "src/solvers/krylov.h"

namespace firn {

inline constexpr double kWorstGuess = 10;  // residual of a guess over the right-hand side

// The iteration broke down: the preconditioner, or the matrix, is not positive. The residual of the
// solution so far is known.
inline bool broke_down(const SolveControl& c) {
  return c.failed != 0 && c.iterations < c.max_iterations && c.restarts < kMaxRestarts &&
         std::isfinite(c.residual);
}

// What they are put together of, each a few launches:
//   A: begin()            the guess made fit, and what the right-hand side needs
//      residual(initial)  r = b - A x, p = 0
//      clear_guess()      x = 0
//      step()             A p, x += alpha p, r -= alpha A p
//   G: restart()          r is a new one
//      precondition()     p = G^-1 r + beta p, and how that went
//      strengthen()       a G that is positive wherever this one was not; false if there is none
template <class Exec, class LinearOperator, class Preconditioner>
SolveReport conjugate_gradients(Exec& exec, KrylovScalars<Exec, SolveControl>& scalars,
                                LinearOperator&& A, Preconditioner&& G) {
  constexpr std::uint32_t kIterationsPerPoll = Exec::kIsCuda ? 4 : 1;
  SolveControl& seen = scalars.seen;
  const auto judge = [&](bool initial) {
    A.residual(initial);
    judge_residual(exec, scalars.data(), initial);
    scalars.poll();
  };
  A.begin();
  judge(true);
  // A guess far worse than none (a jet that has come to rest) would have to be worked off digit by
  // digit.
  if (seen.initial > kWorstGuess * seen.rhs) {
    A.clear_guess();
    judge(true);
  }
  while (seen.done == 0) {
    G.restart();
    do {
      SolveReport inner;
      for (std::uint32_t i = 0; i < kIterationsPerPoll; ++i) {
        inner = G.precondition();
        if (!inner.is_solved()) break;
        A.step();
      }
      scalars.poll();
      if (!inner.is_solved() && seen.done == 0) return inner;
    } while (seen.done == 0);
    judge(false);
    if (broke_down(seen) && G.strengthen()) {
      seen.done = seen.failed = 0;
      seen.rz = 0;
      scalars.put();
    }
  }
  SolveReport report = report_of(seen);
  report.restarts = seen.restarts;
  report.looks = scalars.looks;
  return report;
}

// Conjugate gradients in a space without companions.
template <class Exec, class Space>
class ConjugateGradients {
  using Real = typename Space::Real;
  static_assert(Space::kCompanions == 0);

 public:
  explicit ConjugateGradients(Exec& exec) : exec_(exec), scalars_(exec) {}

  void reserve(std::uint32_t blocks) {
    for (auto* b : {&residual_, &direction_, &work_})
      renew(exec_, *b, std::size_t{blocks} * Space::kValues);
    renew(exec_, partials_, kReductionColumns * std::size_t{blocks});
  }

  // A `solution` that is finite is the first guess. Where G is a solve of its own that fails, that
  // is what the report is about.
  template <class LinearOperator, class Preconditioner>
  SolveReport solve(const Space& space, DeviceCount blocks, const Real* rhs, Real* solution,
                    LinearOperator&& A, Preconditioner&& G, const SolveOptions& options,
                    const std::uint32_t* stop) {
    const ConjugateSpace<Space> s = begin(space, blocks, rhs, solution, options, stop);
    return conjugate_gradients(exec_, scalars_, Steps<LinearOperator>{exec_, s, A},
                               Directions<Preconditioner>{exec_, s, G});
  }

  // From 0 until the recursion says that the residual meets the tolerance: for Newton's method,
  // which asks its own next gradient how good the step was. That spares a product for the first
  // residual, one for the last, and the host's looks at them.
  template <class NoProduct, class LinearOperator, class Preconditioner>
  SolveReport descend(const Space& space, DeviceCount blocks, const Real* rhs, Real* solution,
                      LinearOperator&& A, Preconditioner&& G, const SolveOptions& options,
                      const std::uint32_t* stop) {
    static_assert(!std::remove_cvref_t<Preconditioner>::kIsSolve);
    const ConjugateSpace<Space> s = begin(space, blocks, rhs, solution, options, stop);
    exec_.zero(solution, std::size_t{blocks.bound} * Space::kValues * sizeof(Real));
    begin_gradients(exec_, s);
    subtract_product(exec_, s, NoProduct{});
    judge_residual(exec_, scalars_.data(), true);
    Steps<LinearOperator> step{exec_, s, A};
    Directions<Preconditioner> next{exec_, s, G};
    // At first half of what the last solve took, then ever more: what the device has been given
    // beyond the end is a share of the whole, and does nothing.
    std::uint32_t more = scalars_.seen.iterations / 2;
    do {
      const std::uint32_t batch = Exec::kIsCuda ? std::max(4u, more) : 1u;
      for (std::uint32_t i = 0; i < batch; ++i) {
        next.precondition();
        step.step();
      }
      scalars_.poll();
      more = scalars_.seen.iterations / 4;
    } while (scalars_.seen.done == 0);
    SolveReport report = report_of(scalars_.seen);
    report.looks = scalars_.looks;
    return report;
  }
  // Of such a solve, for launches of A and G.
  const std::uint32_t* done() { return scalars_.done(); }

  std::size_t bytes() const {
    std::size_t sum = partials_.bytes() + scalars_.bytes();
    for (const auto* b : {&residual_, &direction_, &work_}) sum += b->bytes();
    return sum;
  }
  // What bytes() says after reserve(blocks), for estimates.
  static std::size_t bytes_for(std::uint32_t blocks) {
    const std::size_t block =
        3 * Space::kValues * sizeof(Real) + kReductionColumns * sizeof(double);
    return blocks * block + sizeof(SolveControl);
  }

 private:
  ConjugateSpace<Space> begin(const Space& space, DeviceCount blocks, const Real* rhs,
                              Real* solution, const SolveOptions& options,
                              const std::uint32_t* stop) {
    partials_.zero();
    scalars_.begin(options, stop);
    return {space,
            blocks,
            {rhs, solution, residual_.data(), direction_.data(), work_.data(), partials_.data(),
             scalars_.data()}};
  }

  template <class LinearOperator>
  struct Steps {
    Exec& exec;
    const ConjugateSpace<Space>& s;
    LinearOperator& A;
    void begin() { begin_gradients(exec, s); }
    void residual(bool initial) {
      // What A was given to add after the last step had ended, or had broken down, is still there.
      if (!initial)
        exec.zero(s.v.work, std::size_t{s.blocks.bound} * Space::kValues * sizeof(Real));
      A.enqueue({s.v.solution, nullptr}, s.v.work);
      subtract_product(exec, s, A.local({s.v.solution, nullptr}, s.v.work));
    }
    void clear_guess() {
      exec.zero(s.v.solution, std::size_t{s.blocks.bound} * Space::kValues * sizeof(Real));
    }
    void step() {
      A.enqueue({s.v.direction, nullptr}, s.v.work);
      step_along(exec, s, A.local({s.v.direction, nullptr}, s.v.work));
    }
  };
  template <class Preconditioner>
  struct Directions {
    Exec& exec;
    const ConjugateSpace<Space>& s;
    Preconditioner& G;
    void restart() {}
    SolveReport precondition() {
      const KrylovVector<Real> z{s.v.work, nullptr};
      const SolveReport inner = G.solve(s.v.residual, z);
      if (inner.is_solved()) next_conjugate(exec, s, G.local(s.v.residual, z));
      return inner;
    }
    bool strengthen() { return false; }
  };

  Exec& exec_;
  KrylovScalars<Exec, SolveControl> scalars_;
  Buffer<Exec, Real> residual_, direction_, work_;
  Buffer<Exec, double> partials_;
};

}  // namespace firn
