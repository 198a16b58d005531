#include "python/held_signals.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <utility>

namespace firn::python {
namespace {

// Not those that end what hangs, as alarms do, nor faults.
constexpr std::array kNumbers{SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
constexpr int kTries = 100;  // to set a handler while others raise

bool on_main_thread() {
  const nb::object main = nb::module_::import_("threading").attr("main_thread")();
  return nb::cast<unsigned long>(main.attr("ident")) == PyThread_get_thread_ident();
}

nb::object handler_of(int number) {
  return nb::module_::import_("signal").attr("getsignal")(number);
}
// What the system does about the signal stays as it is: signal.signal would have it interrupt
// system calls.
void set_handler(int number, const nb::object& handler) {
  struct sigaction action {};
  sigaction(number, nullptr, &action);
  nb::module_::import_("signal").attr("signal")(number, handler);
  sigaction(number, &action, nullptr);
}

}  // namespace

// Outlives its run where Python code has kept the recorder, which then only hands on.
struct HeldSignals::State {
  enum class Mode { kHandOn, kHold, kHoldAll } mode = Mode::kHandOn;
  struct Signal {
    nb::object handler;  // not valid: left alone
    bool pending = false;
  };
  std::array<Signal, kNumbers.size()> signals;

  Signal& of(int number) {
    const auto* found = std::find(kNumbers.begin(), kNumbers.end(), number);
    return signals.at(static_cast<std::size_t>(found - kNumbers.begin()));
  }
  void arrived(int number, const nb::object& frame) {
    Signal& signal = of(number);
    if (mode == Mode::kHandOn || (mode == Mode::kHold && signal.pending)) {
      signal.pending = false;
      signal.handler(number, frame);
    } else {
      signal.pending = true;
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
    give_back();
    throw;
  }
}

HeldSignals::~HeldSignals() {
  if (!state_) return;
  try {
    give_back();
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("the handlers of signals");
  }
  // An exception is on its way: handlers run as soon as Python code does.
  for (const int number : kNumbers)
    if (std::exchange(state_->of(number).pending, false)) PyErr_SetInterruptEx(number);
}

void HeldSignals::take_over() {
  for (const int number : kNumbers) {
    nb::object handler = handler_of(number);
    if (!PyCallable_Check(handler.ptr())) continue;
    state_->of(number).handler = std::move(handler);
    set_handler(number, recorder_);
  }
}

// signal.signal calls the handlers of what has arrived, and sets nothing where one raises: these
// are held, and what others raise, as of alarms, is raised when all is given back.
void HeldSignals::give_back() {
  state_->mode = State::Mode::kHoldAll;
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
      if (handler.is_valid() && handler_of(number).is(recorder_)) set_handler(number, handler);
    };
    for (int tries = 0; tries < kTries && !goes(set); ++tries) {
    }
  }
  state_->mode = State::Mode::kHandOn;
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
