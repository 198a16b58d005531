// MINRES (kernels/solve/minres.h) in a space: its memory, and the order of its operators. The host
// reads the control block every few iterations, and in every one where G is a solve of its own
// (Preconditioner::kIsSolve), which is dear and looks at its own.
#pragma once

#include <array>
#include <type_traits>

#include "kernels/solve/minres.h"
#include "src/solvers/krylov.h"

namespace firn {

template <class Exec, class Space>
class Minres {
  using Real = typename Space::Real;

 public:
  explicit Minres(Exec& exec) : exec_(exec), scalars_(exec) {}

  // Nothing in it outlives a solve, so a larger one starts empty.
  void reserve(std::uint32_t blocks) {
    for (auto& channel : values_) renew(exec_, channel, std::size_t{blocks} * Space::kValues);
    for (auto& channel : companions_)
      renew(exec_, channel, std::size_t{blocks} * Space::kCompanions);
    renew(exec_, partials_, 2 * std::size_t{blocks});
  }

  MinresVectors<Real> vectors() {
    MinresVectors<Real> v;
    Real** values[] = {&v.in.value, &v.out.value, &v.w1.value, &v.w2.value, &v.r1, &v.r2};
    for (std::size_t i = 0; i < kValues; ++i) *values[i] = values_[i].data();
    Real** companions[] = {&v.in.companion, &v.out.companion, &v.w1.companion, &v.w2.companion};
    for (std::size_t i = 0; i < kCompanions; ++i) *companions[i] = companions_[i].data();
    v.partials = partials_.data();
    v.control = scalars_.data();
    return v;
  }

  // begin() enqueues begin_minres and what sets the first residual. Where G is a solve of its own
  // that fails, that is what the report is about.
  template <class Begin, class LinearOperator, class Preconditioner>
  SolveReport solve(const MinresView<Space>& view, Begin&& begin, LinearOperator&& A,
                    Preconditioner&& G) {
    constexpr bool kLooks = std::remove_cvref_t<Preconditioner>::kIsSolve;
    constexpr std::uint32_t kIterationsPerPoll = Exec::kIsCuda && !kLooks ? 4 : 1;
    const MinresVectors<Real>& v = view.v;
    partials_.zero();
    scalars_.looks = 0;
    begin();
    for (std::uint32_t n = 0;; ++n) {
      const SolveReport inner = G.solve(v.r2, v.out);
      if (!inner.is_solved()) return inner;
      advance_minres(exec_, view, G.local(v.r2, v.out), n == 0);
      if (n % kIterationsPerPoll == 0) {
        scalars_.poll();
        if (scalars_.seen.done != 0) return report();
      }
      A.enqueue(v.in, v.out.value);
      multiply_minres(exec_, view, A.local(v.in, v.out.value));
    }
  }

  std::size_t bytes() const {
    std::size_t sum = partials_.bytes() + scalars_.bytes();
    for (const auto& b : values_) sum += b.bytes();
    for (const auto& b : companions_) sum += b.bytes();
    return sum;
  }
  // What bytes() says after reserve(blocks), for estimates.
  static std::size_t bytes_for(std::uint32_t blocks) {
    const std::size_t reals = kValues * Space::kValues + kCompanions * Space::kCompanions;
    return sizeof(MinresControl) + blocks * (reals * sizeof(Real) + 2 * sizeof(double));
  }

  // Of a solve, for launches of A and G.
  const std::uint32_t* done() { return scalars_.done(); }

 private:
  SolveReport report() const {
    SolveReport r = report_of(scalars_.seen);
    r.looks = scalars_.looks;
    return r;
  }

  static constexpr std::size_t kValues = 6, kCompanions = 4;

  Exec& exec_;
  KrylovScalars<Exec, MinresControl> scalars_;
  std::array<Buffer<Exec, Real>, kValues> values_;
  std::array<Buffer<Exec, Real>, kCompanions> companions_;
  Buffer<Exec, double> partials_;
};

}  // namespace firn
