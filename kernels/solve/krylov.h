// What all Krylov solvers share: the scalars that steer a solve, which stay on the device, and what
// a vector is. A solver is put together of four things:
//   a Space, which vectors live in (device):
//     using Real;  kValues of a block, a multiple of 64, at block * kValues + i
//     kCompanions: values of a block that follow along with each vector (below), or 0
//     is_active(at): whether the value is an unknown; the others are 0
//     weight(at): optional, for conjugate gradients: residuals are sqrt(sum of weight r^2), and not
//     the largest magnitude
//     add(at, step, direction), add_companion(...): solution += step * direction, for MINRES,
//     which works in place wherever the solution lies
//   a LinearOperator A (host), symmetric:
//     enqueue(in, out): launches that add to out what A in needs of them; none for a mere stencil
//     local(in, out): afterwards, on the device, (block, i, at) -> value of A in
//   a Preconditioner G (host), symmetric and positive:
//     solve(r, z): launches that local() needs, or a solve of its own, and how that went
//     local(r, z): afterwards, on the device, (block, i, at) -> value of z = G^-1 r
//   and a control block that derives from KrylovControl.
// What a local() says of a value may read all of its input, but of the output this value only.
#pragma once

#include <cstdint>

#include "kernels/exec/launch.h"

namespace firn {

struct SolveOptions {
  // Converged once the residual does not exceed max(relative * its reference, absolute): conjugate
  // gradients compare largest magnitudes, or norms of the space, with that of the right-hand side;
  // MINRES norms of the preconditioner, with that of the first residual.
  double relative = 1e-6, absolute = 0;
  std::uint32_t max_iterations = 200;
};

struct KrylovControl {
  std::uint32_t done = 0;     // gates every launch of the iteration
  std::uint32_t stopped = 0;  // the step had been stopped before: nothing was done
  std::uint32_t failed = 0;
  std::uint32_t rounding_limited = 0;  // what is left is the rounding of the solution itself
  std::uint32_t iterations = 0, max_iterations = 0;
  double relative = 0, absolute = 0;
  double tolerance = 0;              // on the residual
  double initial = 0, residual = 0;  // before the first iteration, and now
  double rounding = 0;               // what rounding the solution does to the residual
};

// Companions are linear in the vector, as A and G are, and go through all that vectors go through:
// multipliers of a constraint, say, that G holds and A needs.
template <class Real>
struct KrylovVector {
  Real *value = nullptr, *companion = nullptr;
};

// *control = first, with the options; `done` and `stopped` if the step has been stopped. `stop` may
// be null.
template <class Exec, class Control>
void begin_solve(Exec& exec, const SolveOptions& options, const std::uint32_t* stop,
                 const Control& first, Control* control);

}  // namespace firn
