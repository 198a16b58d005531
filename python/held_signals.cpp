#include "python/held_signals.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <utility>

namespace firn::python {
namespace {

// Not those that end what hangs, as alarms do, nor faults. SIGINT is given back last, as its
// handler is the one that raises: see HeldSignals::give_back.
constexpr std::array kNumbers{SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGINT};
// Launchers and keys that are held down send a signal twice; no person does within that time.
constexpr std::chrono::milliseconds kSameSignal{100};
constexpr int kTries = 100;  // to set a handler while others raise

bool on_main_thread() {
  const nb::object main = nb::module_::import_("threading").attr("main_thread")();
  return nb::cast<unsigned long>(main.attr("ident")) == PyThread_get_thread_ident();
}

// Of the module beneath `signal`, whose own are bytecode, between which handlers run.
struct SignalFunctions {
  nb::module_ module = nb::module_::import_("_signal");
  nb::object getsignal = module.attr("getsignal"), signal = module.attr("signal");

  nb::object handler_of(int number) const { return getsignal(number); }
  // What the system does about the signal stays as it is: signal() would have it interrupt system
  // calls.
  void set_handler(int number, const nb::object& handler) const {
    struct sigaction action {};
    sigaction(number, nullptr, &action);
    signal(number, handler);
    sigaction(number, &action, nullptr);
  }
};

}  // namespace

// Outlives its run where Python code has kept the recorder, which then only hands on.
struct HeldSignals::State {
  enum class Mode { kHandOn, kHold, kHoldAll } mode = Mode::kHandOn;
  struct Signal {
    nb::object handler;  // not valid: left alone
    bool pending = false;
    std::chrono::steady_clock::time_point since{};  // pending
  };
  std::array<Signal, kNumbers.size()> signals;
  SignalFunctions functions;

  Signal& of(int number) {
    const auto* found = std::find(kNumbers.begin(), kNumbers.end(), number);
    return signals.at(static_cast<std::size_t>(found - kNumbers.begin()));
  }
  void arrived(int number, const nb::object& frame) {
    Signal& signal = of(number);
    const auto now = std::chrono::steady_clock::now();
    const bool again = signal.pending && now - signal.since > kSameSignal;
    if (mode == Mode::kHandOn || (mode == Mode::kHold && again)) {
      signal.pending = false;
      signal.handler(number, frame);
    } else if (!signal.pending) {
      signal.pending = true;
      signal.since = now;
    }
  }
};

HeldSignals::HeldSignals(bool wanted) {
  if (!wanted || !on_main_thread()) return;
  state_ = std::make_shared<State>();
  recorder_ = nb::cpp_function(
      [state = state_](int number, const nb::object& frame) { state->arrived(number, frame); },
      nb::arg("number"), nb::arg("frame").none());
  try {
    take_over();
  } catch (...) {
    abandon();
    throw;
  }
}

HeldSignals::~HeldSignals() { abandon(); }

// Where an exception is on its way.
void HeldSignals::abandon() noexcept {
  if (!state_) return;
  try {
    give_back();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("the handlers of signals");
  }
  // Handlers run as soon as Python code does.
  for (const int number : kNumbers)
    if (std::exchange(state_->of(number).pending, false)) PyErr_SetInterruptEx(number);
}

void HeldSignals::take_over() {
  for (const int number : kNumbers) {
    nb::object handler = state_->functions.handler_of(number);
    if (!PyCallable_Check(handler.ptr())) continue;
    state_->of(number).handler = std::move(handler);
    state_->functions.set_handler(number, recorder_);
  }
}

// signal() calls the handlers of what has arrived, and sets nothing where one raises: these
// are held, and what others raise, as of alarms, is raised when all is given back.
void HeldSignals::give_back() {
  if (!recorder_.is_valid()) return;  // already
  state_->mode = State::Mode::kHoldAll;
  const SignalFunctions& functions = state_->functions;
  std::exception_ptr raised;
  const auto goes = [&](const auto& set) {
    try {
      set();
    } catch (const nb::python_error&) {
      raised = std::current_exception();
      return false;
    }
    return true;
  };
  for (const int number : kNumbers) {
    const nb::object& handler = state_->of(number).handler;
    const auto set = [&] {
      if (handler.is_valid() && functions.handler_of(number).is(recorder_))
        functions.set_handler(number, handler);
    };
    for (int tries = 0; tries < kTries && !goes(set); ++tries) {
    }
  }
  state_->mode = State::Mode::kHandOn;
  recorder_.reset();
  if (raised) std::rethrow_exception(raised);
}

bool HeldSignals::any() const {
  return state_ && std::any_of(state_->signals.begin(), state_->signals.end(),
                               [](const State::Signal& signal) { return signal.pending; });
}

void HeldSignals::deliver() {
  if (!state_) return;
  for (const int number : kNumbers) {
    State::Signal& signal = state_->of(number);
    if (std::exchange(signal.pending, false)) signal.handler(number, nb::none());
  }
}

void HeldSignals::end() {
  if (!state_) return;
  give_back();
  deliver();
}

HeldSignals::Holding::Holding(HeldSignals* signals)
    : signals_(signals && signals->state_ ? signals : nullptr) {
  if (signals_) signals_->state_->mode = State::Mode::kHold;
}
HeldSignals::Holding::~Holding() {
  if (signals_) signals_->state_->mode = State::Mode::kHandOn;
}

}  // namespace firn::python
