// A simulation as Python has it. Beside the library's own it keeps what makes it safe there: how
// many arrays show its memory, whether it is in a step and on which thread, and own forces.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/typing.h>

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "firn/simulation.h"
#include "python/held_signals.h"

namespace firn::python {

namespace nb = nanobind;

// Of one argument, or none; what it may return depends.
template <class Argument>
using Callback = std::optional<nb::typed<nb::callable, nb::object(Argument)>>;
template <class Argument>
nb::object object_of(const Callback<Argument>& callback) {
  return callback ? nb::object(*callback) : nb::none();
}

// At the interpreter's end: waits for calls on other threads to end, and lets none begin.
void end_sessions();
void register_end();

class Session {
 public:
  Session(const Scene& scene, const RunOptions& options, const nb::object& on_filling);

  // By `go`, which calls the simulation without the interpreter's lock. Signals are looked at
  // between steps: what their handlers raise ends the call at the end of a step.
  using Go = std::function<bool(Simulation&, const Observer&)>;
  bool advance(const Go& go, const nb::object& on_step, const nb::object& on_frame);

  // For what reads, also from a callback for a step or frame.
  const Simulation& reading() const;
  // The same for what takes long: `read(simulation)` is called without the interpreter's lock, and
  // other threads are refused meanwhile.
  template <class Read>
  auto look(Read&& read) {
    const Simulation& simulation = reading();
    const Looking here(*this);
    return read(simulation);
  }
  // For what changes the simulation. Throws ViewError while arrays show its memory.
  Simulation& changing();
  // The same, where a state that went wrong is replaced as a whole.
  void load(const std::vector<std::byte>& state);
  // For what may be changed between two steps too, under a callback and arrays that show memory.
  Simulation& steering();

  bool on_cuda() const { return on_cuda_; }

  // An object that keeps the simulation alive and has it refuse to go on, as long as it lives:
  // the owner of arrays that show its memory.
  nb::object lease(const std::string& what);
  // Throws ViewError if there are leases.
  void check_no_views() const;

  void set_force(const nb::object& force, Memory memory);
  void set_grid_boundary(const nb::object& boundary, Memory memory);

  // For the collector of cycles: forces often refer to their simulation.
  static int traverse(PyObject* self, visitproc visit, void* arg);
  static int clear(PyObject* self);

 private:
  enum class Activity { kNone, kLook, kStep, kForce };
  // While it lives, the simulation is busy with something on this thread.
  class Busy;
  class Lease;
  class Looking {
   public:
    explicit Looking(Session& session);
    ~Looking();
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;

   private:
    struct Held;
    std::unique_ptr<Held> held_;
  };

  static Simulation make(const Scene& scene, const RunOptions& options,
                         const nb::object& on_filling);
  Observer observer(const nb::object& on_step, const nb::object& on_frame);
  template <class Told>
  bool tell(const nb::object& callback, const Told& told);
  bool interrupted();
  bool make_steps(const Go& go, const Observer& told);
  void check_place() const;
  void check_idle() const;
  template <class Ask>
  void ask(Ask&& ask);

  Simulation simulation_;
  const bool on_cuda_;
  std::map<std::string, int> views_;  // by what they show
  nb::object force_ = nb::none(), boundary_ = nb::none();
  Activity activity_ = Activity::kNone;
  std::thread::id thread_;          // of the activity
  const int process_;               // threads of OpenMP do not come along into a fork
  HeldSignals* signals_ = nullptr;  // of the call that advances, if there is one
  std::exception_ptr interrupt_;    // what a signal's handler has raised
  std::chrono::steady_clock::time_point looked_{};  // for signals, last
};

}  // namespace firn::python
