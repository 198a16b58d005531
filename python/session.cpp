#include "python/session.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "python/callbacks.h"
#include "python/errors.h"

namespace firn::python {
namespace {

// Short against what a person waits for, long against what the lock of the interpreter takes to
// get while other threads hold it.
constexpr std::chrono::milliseconds kBetweenSignals{50};

// The exception that is being handled, or that an interactive session has shown last, keeps the
// variables of its functions.
void forget_failed_frames() {
  const nb::module_ sys = nb::module_::import_("sys"),
                    traceback = nb::module_::import_("traceback");
  const nb::object handled = sys.attr("exc_info")()[2];
  const nb::object shown = nb::getattr(sys, "last_traceback", nb::none());
  for (const nb::object& frames : {handled, shown})
    if (!frames.is_none()) traceback.attr("clear_frames")(frames);
}

[[noreturn]] void misused(const std::string& message) {
  throw Error(ErrorCategory::kScene, message);
}

// Calls without the interpreter's lock. A thread that asks for the lock once the interpreter ends
// is ended by Python on the spot, through frames of C++ that cannot be left so: the interpreter
// waits for these calls instead, which stop at the end of their step.
std::atomic<int> unlocked_calls{0};
std::atomic<bool> ending{false};

class Unlocked {
 public:
  Unlocked() { ++unlocked_calls; }
  ~Unlocked() {
    lock_.reset();
    --unlocked_calls;
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  std::optional<nb::gil_scoped_release> lock_{std::in_place};
};

}  // namespace

void register_end() {
  // A child has none of the other threads.
  pthread_atfork(nullptr, nullptr, [] { unlocked_calls = 0; });
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end_sessions));
}
void end_sessions() {
  ending = true;
  const nb::gil_scoped_release unlocked;
  while (unlocked_calls > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

class Session::Busy {
 public:
  Busy(Session& session, Activity activity, HeldSignals* signals)
      : session_(session), before_(session.activity_), signals_before_(session.signals_) {
    session_.activity_ = activity;
    session_.signals_ = signals;
    session_.thread_ = std::this_thread::get_id();
  }
  ~Busy() {
    session_.activity_ = before_;
    session_.signals_ = signals_before_;
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  Session& session_;
  Activity before_;
  HeldSignals* signals_before_;
};

struct Session::Looking::Held {
  Busy busy;
  Unlocked unlocked;
};
Session::Looking::Looking(Session& session)
    : held_(new Held{{session, Activity::kLook, session.signals_}, {}}) {}
Session::Looking::~Looking() = default;

// Counts in views_ as long as it lives, so it is made where it stays.
class Session::Lease {
 public:
  Lease(Session& session, const std::string& what)
      : alive_(nb::find(session)),
        session_(session),
        entry_(session.views_.try_emplace(what, 0).first) {
    ++entry_->second;
  }
  ~Lease() {
    if (--entry_->second == 0) session_.views_.erase(entry_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

 private:
  nb::object alive_;  // the session's own object
  Session& session_;
  std::map<std::string, int>::iterator entry_;
};

Simulation Session::make(const Scene& scene, const RunOptions& options,
                         const nb::object& on_filling) {
  const auto filling = [&](const Filling& at) {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!on_filling.is_none()) on_filling(at);
  };
  const Unlocked here;
  return {scene, options, filling};
}

Session::Session(const Scene& scene, const RunOptions& options, const nb::object& on_filling)
    : simulation_(make(scene, options, on_filling)),
      on_cuda_(simulation_.on_cuda()),
      process_(getpid()) {}

void Session::check_place() const {
  if (process_ != getpid())
    misused(
        "the simulation was made before this process was forked off, and its threads did not "
        "come along; make it in the process that uses it");
  if (activity_ != Activity::kNone && thread_ != std::this_thread::get_id())
    misused(
        "the simulation is in a call on another thread; one simulation belongs to one thread "
        "at a time");
}

Simulation& Session::steering() {
  check_place();
  if (activity_ == Activity::kForce)
    misused("a force or boundary comes in the middle of a step; steer from on_step");
  return simulation_;
}

void Session::check_idle() const {
  check_place();
  if (activity_ != Activity::kNone)
    misused(
        "a callback may read the simulation and move colliders, not advance or change it "
        "otherwise; return False to stop, and change it then");
}

const Simulation& Session::reading() const {
  check_place();
  if (activity_ == Activity::kForce)
    misused(
        "within a force or boundary the simulation is half way through a step; use the arrays "
        "that it is called with");
  return simulation_;
}

Simulation& Session::changing() {
  check_idle();
  check_no_views();
  return simulation_;
}

void Session::load(const std::vector<std::byte>& state) {
  check_idle();
  check_no_views();
  const Looking here(*this);
  simulation_.load_state(state);
}

void Session::check_no_views() const {
  if (views_.empty()) return;
  // They may be part of a cycle, or local to the functions that an exception has left.
  forget_failed_frames();
  PyGC_Collect();
  if (views_.empty()) return;
  std::string names;
  for (const auto& [name, count] : views_)
    names += (names.empty() ? "" : ", ") + name +
             (count > 1 ? " (" + std::to_string(count) + " times)" : "");
  throw ViewError("arrays still show the simulation's memory: " + names +
                  "; delete them (del array) before it goes on, or copy what is to stay "
                  "(array.copy(), or field() in place of view())");
}

nb::object Session::lease(const std::string& what) {
  auto lease = std::make_unique<Lease>(*this, what);
  nb::capsule owner(lease.get(), [](void* p) noexcept { delete static_cast<Lease*>(p); });
  static_cast<void>(lease.release());  // the capsule's
  return owner;
}

bool Session::interrupted() {
  if (ending) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < kBetweenSignals && !signals_->any()) return false;
  looked_ = now;
  const nb::gil_scoped_acquire lock;
  try {
    signals_->deliver();
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    check_no_views();  // which a handler may have taken
  } catch (...) {
    interrupt_ = std::current_exception();
  }
  return interrupt_ != nullptr;
}

template <class Told>
bool Session::tell(const nb::object& callback, const Told& told) {
  const nb::gil_scoped_acquire lock;
  const nb::object answer = callback(told);
  check_no_views();
  if (answer.is_none()) return true;
  const int goes_on = PyObject_IsTrue(answer.ptr());
  if (goes_on < 0) throw nb::python_error();
  return goes_on != 0;
}

Observer Session::observer(const nb::object& on_step, const nb::object& on_frame) {
  Observer observer;
  observer.interrupted = [this] { return interrupted(); };
  if (!on_step.is_none())
    observer.step = [this, &on_step](const StepInfo& step) { return tell(on_step, step); };
  if (!on_frame.is_none())
    observer.frame = [this, &on_frame](const FrameStats& frame) { return tell(on_frame, frame); };
  return observer;
}

bool Session::make_steps(const Go& go, const Observer& told) {
  if (ending) misused("the interpreter ends; nothing is advanced any more");
  const Unlocked here;
  return go(simulation_, told);
}

bool Session::advance(const Go& go, const nb::object& on_step, const nb::object& on_frame) {
  HeldSignals signals(!force_.is_none() || !boundary_.is_none());
  changing();  // also what a handler has taken just now
  const Busy busy(*this, Activity::kStep, &signals);
  interrupt_ = nullptr;
  const bool completed = make_steps(go, observer(on_step, on_frame));
  if (interrupt_) std::rethrow_exception(std::exchange(interrupt_, nullptr));
  signals.end();
  return completed;
}

template <class Ask>
void Session::ask(Ask&& ask) {
  const nb::gil_scoped_acquire lock;
  const Busy busy(*this, Activity::kForce, signals_);
  const HeldSignals::Holding holding(signals_);
  ask();
}

void Session::set_force(const nb::object& force, Memory memory) {
  Simulation& simulation = changing();
  force_ = force;
  if (force.is_none()) {
    simulation.set_force({}, memory);
  } else {
    simulation.set_force(
        [this](const ForceStep& step) { ask([&] { ask_force(*this, force_, step); }); }, memory);
  }
}

void Session::set_grid_boundary(const nb::object& boundary, Memory memory) {
  Simulation& simulation = changing();
  if (boundary.is_none()) {
    simulation.set_grid_boundary({}, memory);
  } else {
    simulation.set_grid_boundary(
        [this](const BoundaryStep& step) { ask([&] { ask_boundary(*this, boundary_, step); }); },
        memory);
  }
  boundary_ = boundary;  // the library may have refused it
}

int Session::traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  if (!nb::inst_ready(self)) return 0;
  const Session* session = nb::inst_ptr<Session>(self);
  Py_VISIT(session->force_.ptr());
  Py_VISIT(session->boundary_.ptr());
  return 0;
}

int Session::clear(PyObject* self) {
  if (!nb::inst_ready(self)) return 0;
  Session* session = nb::inst_ptr<Session>(self);
  session->force_.reset();
  session->boundary_.reset();
  return 0;
}

}  // namespace firn::python
