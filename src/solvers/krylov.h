// The host's side that all Krylov solvers share: their scalars, which it reads now and then, and
// what they report. What a solver is put together of is in kernels/solve/krylov.h.
#pragma once

#include <span>

#include "kernels/exec/buffer.h"
#include "kernels/solve/krylov.h"

namespace firn {

struct SolveReport {
  // The solution holds to the tolerance, or (`rounding_limited`) as well as its precision can.
  bool converged = false;
  bool stopped = false;  // the step had been stopped before; nothing was done
  bool rounding_limited = false;
  bool plain = false;  // the faster cycle was not positive for this system: see Coarsen
  std::uint32_t iterations = 0, restarts = 0, singular_components = 0, levels = 0;
  std::uint32_t tied_components = 0;  // of these, by the term of the system
  std::uint32_t looks = 0;            // times that the host waited for the scalars
  double residual = 0;                // conjugate gradients: the true one, largest magnitude
  double initial = 0, tolerance = 0;
  // Largest mean (by magnitude) of the right-hand side over a singular component, which no solution
  // can meet and the solve left out.
  double imbalance = 0;

  // Of a preconditioner: the solver that asked for it can go on.
  bool is_solved() const { return converged && !stopped; }
};

inline SolveReport report_of(const KrylovControl& c) {
  SolveReport r;
  r.stopped = c.stopped != 0;
  r.converged = !r.stopped && c.failed == 0;
  r.rounding_limited = c.rounding_limited != 0;
  r.iterations = c.iterations;
  r.residual = c.residual, r.initial = c.initial, r.tolerance = c.tolerance;
  return r;
}

// What a preconditioner says that solves nothing.
inline SolveReport solved() { return {.converged = true}; }

// The scalars of a solve in device memory, and as the host has seen them last.
template <class Exec, class Control>
class KrylovScalars {
 public:
  explicit KrylovScalars(Exec& exec) : exec_(exec), device_(exec, 1) {}

  void begin(const SolveOptions& options, const std::uint32_t* stop, const Control& first = {}) {
    begin_solve(exec_, options, stop, first, device_.data());
    looks = 0;
  }
  void poll() {
    seen = device_.first();
    ++looks;
  }
  void put() { device_.upload(std::span<const Control>(&seen, 1)); }
  Control* data() { return device_.data(); }
  // Launches of an iteration do nothing where it is not 0.
  const std::uint32_t* done() { return &device_.data()->done; }
  std::size_t bytes() const { return device_.bytes(); }

  Control seen;
  std::uint32_t looks = 0;  // of this solve

 private:
  Exec& exec_;
  Buffer<Exec, Control> device_;
};

}  // namespace firn
