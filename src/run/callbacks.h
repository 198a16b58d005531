// What an observer is asked and told within one call that makes steps, in the stepper's terms. What
// one of its functions throws ends the call where false would have, and then leaves it.
#pragma once

#include <exception>
#include <functional>
#include <utility>

#include "firn/simulation.h"
#include "src/run/stepper.h"

namespace firn {

// What a function of the caller's threw, on its way past those who judge what the engine throws.
struct ThrownByCaller {
  std::exception_ptr what;
};

class Callbacks {
 public:
  // `between_steps` is true while one of them runs.
  Callbacks(const Observer& observer, bool& between_steps,
            std::function<StepInfo(const StepControl&)> info)
      : observer_(observer), between_steps_(between_steps), info_(std::move(info)) {
    if (observer.interrupted || observer.step)
      watch_.interrupted = [this] {
        return stopped_ ||
               (observer_.interrupted && !goes_on([&] { return !observer_.interrupted(); }));
      };
    if (observer.step)
      watch_.after_step = [this](const StepControl& c) {
        stopped_ = !goes_on([&] { return observer_.step(info_(c)); });
      };
  }
  Callbacks(const Callbacks&) = delete;

  const StepWatch& watch() const { return watch_; }
  // Whether a step or a frame was the last one. It may be that of a step that ends where a source
  // emits, or a frame does.
  bool stopped() const { return stopped_; }
  void frame(const FrameStats& stats) {
    if (observer_.frame) stopped_ = !goes_on([&] { return observer_.frame(stats); }) || stopped_;
  }
  // At the end of the call.
  void rethrow() const {
    if (thrown_) throw ThrownByCaller{thrown_};
  }

 private:
  template <class F>
  bool goes_on(F&& f) {
    between_steps_ = true;
    bool on = false;
    try {
      on = f();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    between_steps_ = false;
    return on;
  }

  const Observer& observer_;
  bool& between_steps_;
  std::function<StepInfo(const StepControl&)> info_;
  StepWatch watch_;
  bool stopped_ = false;
  std::exception_ptr thrown_;
};

}  // namespace firn
