// Signals that ask for an end (Ctrl-C, SIGTERM, a terminal that closes, a reader of the output that
// goes away, what batch systems announce limits with) as a flag that a run polls between steps. The
// first signal asks for a clean end; a second one ends the process at once, as if nobody had caught
// it.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

namespace firn::app {

class InterruptGuard {
 public:
  InterruptGuard() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      struct sigaction action {};
      action.sa_handler = [](int number) { requested_ = number; };
      // SA_RESETHAND: the second signal finds the default action; but every line that is printed to
      // a reader who has gone raises SIGPIPE. SA_RESTART: a write in progress is not torn.
      action.sa_flags = SA_RESTART | (kSignals[i] == SIGPIPE ? 0 : static_cast<int>(SA_RESETHAND));
      sigaction(kSignals[i], &action, &old_[i]);
      const bool under_nohup = kSignals[i] == SIGHUP && old_[i].sa_handler == SIG_IGN;
      if (under_nohup) sigaction(kSignals[i], &old_[i], nullptr);
    }
  }
  ~InterruptGuard() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
  }
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // The signal that came; 0: none.
  static int requested() { return requested_; }

 private:
  static constexpr std::array kSignals{SIGINT,  SIGTERM, SIGHUP,  SIGPIPE,
                                       SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM};
  inline static volatile std::sig_atomic_t requested_ = 0;  // a signal handler reaches nothing else
  std::array<struct sigaction, kSignals.size()> old_{};
};

// While it lives a signal ends the process at once: large bodies take long to sample, and nothing
// is there yet that could be saved. Signals that are ignored stay so.
class EndsAtOnce {
 public:
  EndsAtOnce() {
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      sigaction(kSignals[i], &by_default, &old_[i]);
      if (old_[i].sa_handler == SIG_IGN) sigaction(kSignals[i], &old_[i], nullptr);
    }
  }
  ~EndsAtOnce() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
  }
  EndsAtOnce(const EndsAtOnce&) = delete;
  EndsAtOnce& operator=(const EndsAtOnce&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM};
  std::array<struct sigaction, kSignals.size()> old_{};
};

}  // namespace firn::app
