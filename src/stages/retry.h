// A step whose solve has missed its tolerance runs again with half the dt, a few times at most.
#pragma once

#include <cmath>
#include <limits>

#include "src/solvers/elliptic_solver.h"
#include "src/stages/stage.h"
#include "src/state/diagnose.h"

namespace firn {

template <class Exec, int D, class Real>
class Retry : public Stage<Exec, D, Real> {
 public:
  using Stage<Exec, D, Real>::Stage;

  // Whether the step goes on. What is not finite from the beginning has no shorter step; the
  // transfer names the particle that brought it. Otherwise the rest of this step does nothing.
  bool accepts(const SolveReport& report, const SystemName& system) {
    if (report.stopped) return false;
    if (report.converged || !std::isfinite(report.initial)) return true;
    rejected_ = report;
    of_ = &system;
    StepControl c = context_.read();
    c.stop |= kStopUnsolved;
    context_.write(c);
    return false;
  }
  // The step runs again although its solve has met the tolerance, unless that was often enough.
  bool shortens(const SystemName& system) {
    if (retries_ == kMost) return false;
    SolveReport report;
    report.residual = std::numeric_limits<double>::max();
    return !accepts(report, system);
  }
  // All solves of the step have met their tolerances.
  void succeed() { retries_ = 0; }

  void load(ByteReader&, std::uint32_t) { retries_ = 0; }
  void poll(StepControl& c) {
    if ((c.stop & kStopUnsolved) == 0) return;
    if (++retries_ > kMost)
      throw unsolved_error(c, *of_, rejected_.residual, rejected_.tolerance, rejected_.iterations);
    c.stop &= ~kStopUnsolved;
    c.retry_dt = 0.5 * c.dt;
    c.dt = c.previous_dt;  // of the last step that was made
    context_.write(c);
  }

 private:
  using Stage<Exec, D, Real>::context_;
  static constexpr int kMost = 4;
  SolveReport rejected_;
  const SystemName* of_ = nullptr;
  int retries_ = 0;
};

}  // namespace firn
