// Ctrl-C and SIGTERM as a flag that a run polls between steps. The first signal asks for a clean
// end; a second one ends the process at once, as if nobody had caught it.
#pragma once

#include <csignal>

namespace firn::app {

class InterruptGuard {
 public:
  InterruptGuard() {
    struct sigaction action {};
    action.sa_handler = [](int) { requested_ = 1; };
    // SA_RESETHAND: the second signal finds the default action. SA_RESTART: a write in progress is
    // not torn.
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigaction(SIGINT, &action, &old_interrupt_);
    sigaction(SIGTERM, &action, &old_terminate_);
  }
  ~InterruptGuard() {
    sigaction(SIGINT, &old_interrupt_, nullptr);
    sigaction(SIGTERM, &old_terminate_, nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static bool requested() { return requested_ != 0; }

 private:
  inline static volatile std::sig_atomic_t requested_ = 0;  // a signal handler reaches nothing else
  struct sigaction old_interrupt_ {
  }, old_terminate_{};
};

}  // namespace firn::app
