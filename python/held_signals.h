// Signals that ask a run to end, as Ctrl-C does, and arrive while it is in a force or a boundary in
// Python: what their handlers raise there would leave a step half done, so they are called at its
// end.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

namespace firn::python {

namespace nb = nanobind;

// While it lives its own handlers stand before those that Python code has set for SIGINT, SIGTERM,
// SIGHUP, SIGUSR1 and SIGUSR2. Handlers run on the main thread alone, and elsewhere it does
// nothing. Needs the lock of the interpreter, but for `any`.
class HeldSignals {
 public:
  // Throws what the handler of a signal raises that has come before.
  explicit HeldSignals(bool wanted);
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // While it lives signals are held; a second one of a kind, a tenth of a second later or more,
  // goes through, so that a callback that never returns can be ended.
  class Holding {
   public:
    explicit Holding(HeldSignals* signals);
    ~Holding();
    Holding(const Holding&) = delete;
    Holding& operator=(const Holding&) = delete;

   private:
    HeldSignals* signals_;
  };

  bool any() const;
  // Calls the handlers of what was held, and throws what they raise.
  void deliver();
  // Gives the handlers back, then delivers.
  void end();

 private:
  struct State;
  void take_over();
  void give_back();
  void abandon() noexcept;

  std::shared_ptr<State> state_;  // none: there is nothing to do
  nb::object recorder_;
};

}  // namespace firn::python
