// Frames on top of steps: the initial fill, sources that emit at exact times, what a frame
// reports, and the state that a checkpoint holds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "firn/error.h"
#include "firn/simulation.h"
#include "src/run/asked_time.h"
#include "src/run/callbacks.h"
#include "src/run/energy_watch.h"
#include "src/run/frame_stats.h"
#include "src/run/particle_owners.h"
#include "src/run/sources.h"
#include "src/run/start_checks.h"
#include "src/run/state_guard.h"
#include "src/run/state_head.h"
#include "src/run/state_seal.h"
#include "src/run/stepper.h"
#include "src/scene/integrator_traits.h"
#include "src/scene/same_time.h"
#include "src/scene/validate.h"
#include "src/state/batch.h"
#include "src/state/bytes.h"
#include "src/state/new_particles.h"

namespace firn {

using Clock = std::chrono::steady_clock;
inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Simulation::Impl {
 public:
  Impl(const Scene& scene, const RunOptions& options,
       const std::function<void(const Filling&)>& filling)
      : scene_(validated(scene)), stepper_(make_stepper(scene_, options, [this](std::uint32_t id) {
          return owners_.name_of(id);
        })) {
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b)
      append(fill_body(scene_, b, filling_of(b, filling)), static_cast<std::uint32_t>(b));
    require_particles(scene_, owners_.next_id());
    stepper_->initialize();
    measure_frame(0, 0);
    check_frame();
  }

  bool advance_frame(const Observer& observer) {
    return advance("advance_frame", [&] { return run_until(end_of_frame(frame_ + 1), observer); });
  }
  bool advance_until(double t, const Observer& observer) {
    return advance("advance_until", [&] {
      require_ahead(scene_, t, stepper_->control());
      return run_until(t, observer);
    });
  }
  bool run_until(double t, const Observer& observer) {
    Callbacks callbacks(observer, between_steps_, told());
    const bool reached = run_until(t, callbacks);
    callbacks.rethrow();
    return reached;
  }
  bool run_until(double t, Callbacks& callbacks) {
    const double slack = same_time(scene_);
    while (true) {
      const double end = end_of_frame(frame_ + 1);
      const bool whole_frame = t > end - slack;
      if (!whole_frame && time() > t - kSliver * slack) return true;
      if (callbacks.stopped() || !advance_within_frame(whole_frame ? end : t, callbacks.watch()))
        return false;
      if (!whole_frame) continue;
      complete_frame();
      callbacks.frame(stats_);
    }
  }

  bool advance_steps(std::int64_t steps, const Observer& observer) {
    if (steps < 0)
      throw Error(ErrorCategory::kScene, "advance_steps: the number of steps must be >= 0, found " +
                                             std::to_string(steps));
    return advance("advance_steps", [&] { return run_steps(steps, observer); });
  }
  bool run_steps(std::int64_t steps, const Observer& observer) {
    if (in_frame_) energy_.start_anew();  // what bodies have done in it is cleared
    begin_frame();
    in_frame_ = false;
    Callbacks callbacks(observer, between_steps_, told());
    const auto start = Clock::now();
    const auto made = [&] { return static_cast<std::int64_t>(stepper_->control().frame_steps); };
    bool on_its_way = true;
    while (on_its_way && made() < steps) {
      emit_due();
      on_its_way = stepper_->run_steps(steps - made(), next_stop(kNever), callbacks.watch());
    }
    count_passed_frames();
    measure_frame(seconds_since(start), time() - frame_begin_);
    callbacks.rethrow();
    check_frame();
    return made() >= steps;
  }

  double time() { return stepper_->control().time; }

  Totals totals() {
    guard_.require();
    return totals_of_state();
  }
  Totals totals_of_state() {
    Totals totals = stepper_->totals();
    if (stepper_->control().carried == 0) return totals;
    totals.momentum.fill(kUnknown);
    totals.angular_momentum.fill(kUnknown);
    totals.kinetic = kUnknown;
    return totals;
  }

  Snapshot snapshot(const SnapshotParts& parts) {
    guard_.require();
    Snapshot s = stepper_->snapshot(parts);
    s.body.reserve(s.size());
    for (std::uint32_t id : s.id)
      s.body.push_back(static_cast<std::uint16_t>(owners_.owner_of(id)));
    s.dx = scene_.grid.dx;
    s.period = periods(scene_);
    return s;
  }

  std::vector<std::uint32_t> add_particles(const NewParticles& particles) {
    refuse_in_callback("add_particles");
    guard_.require();
    const ParticleBatch batch = checked_batch(scene_, particles);
    const std::size_t n = batch.position.size();
    owners_.require_room(n);
    std::vector<std::uint32_t> ids(n);
    std::iota(ids.begin(), ids.end(), owners_.next_id());
    if (n == 0) return ids;
    guard_.changing([&] {
      stepper_->add(batch, owners_.next_id());
      energy_.start_anew();
      owners_.add(static_cast<std::uint32_t>(n), owners_.of_user(), batch.material);
    });
    return ids;
  }
  void remove_particles(std::span<const std::uint32_t> ids) {
    refuse_in_callback("remove_particles");
    guard_.require();
    std::vector<std::uint32_t> ascending(ids.begin(), ids.end());
    std::sort(ascending.begin(), ascending.end());
    ascending.erase(std::unique(ascending.begin(), ascending.end()), ascending.end());
    if (ascending.empty()) return;
    guard_.changing([&] { stepper_->remove(ascending); });
    energy_.start_anew();
  }

  std::vector<std::byte> save_state() {
    guard_.require_whole("save_state");
    ByteWriter out;
    out.reserve(stepper_->memory_bytes() + owners_.ranges().size() * sizeof(IdRange) +
                state_header_bytes(scene_));
    StateHead head{frame_, in_frame_,   frame_begin_,  owners_.next_id(),  owners_.ranges(),
                   {},     stats_.time, stats_.totals, stats_.lost_volume, solves_of_frame()};
    for (std::size_t s = 0; s < sources_.size(); ++s)
      head.emissions.push_back(sources_.emissions(s));
    head.save(out);
    energy_.save(out);
    stepper_->save(out);
    return sealed(out.take(), scene_);
  }
  void load_state(std::span<const std::byte> bytes) {
    refuse_in_callback("load_state");
    ByteReader in(unsealed(bytes, scene_));
    StateHead head = StateHead::load(in, owners_, sources_.size());
    EnergyWatch energy(scene_);
    energy.load(in);
    stepper_->require_fit(in, head.next_id);
    guard_.lose("what was to be loaded does not fit");
    stepper_->load(in);
    in.expect_end();
    frame_ = head.frame;
    in_frame_ = head.in_frame;
    frame_begin_ = head.frame_begin;
    frame_seconds_ = 0;
    owners_.restore(std::move(head.ranges), head.next_id);
    sources_.set_emissions(head.emissions);
    set_inflows();
    measure_frame(0, end_of_frame(1));
    stats_.time = head.time;  // the state may lie after it
    stats_.totals = head.totals;
    stats_.lost_volume = head.lost_volume;
    earlier_ = head.solves;
    energy_ = energy;
    stats_.energy = energy_.balance();
    guard_.restore();
  }

  void set_collider_motion(std::size_t collider, const Keyframes& motion) {
    scene::validate_motion(scene_, collider, motion);
    if (advancing_ && !between_steps_)
      throw Error(
          ErrorCategory::kScene,
          "set_collider_motion: not from a force or a boundary, which come in the middle of "
          "a step; from a callback between two steps, or between calls");
    stepper_->set_collider_motion(collider, motion);
  }
  void set_force(Force force, Memory memory) {
    refuse_in_callback("set_force");
    if (force) energy_.give_up();
    own_force_ = static_cast<bool>(force);
    stepper_->set_force(guard_.within_step(std::move(force), "a force"), memory);
  }
  void set_grid_boundary(GridBoundary boundary, Memory memory) {
    refuse_in_callback("set_grid_boundary");
    if (boundary && traits_of(scene_).implicit)
      throw Error(ErrorCategory::kScene,
                  "set_grid_boundary: only for integrator = \"explicit\"; here the velocities of "
                  "nodes come out of a solve for the forces of the step, which would know nothing "
                  "of the change");
    if (boundary) energy_.give_up();
    own_boundary_ = static_cast<bool>(boundary);
    stepper_->set_grid_boundary(guard_.within_step(std::move(boundary), "a boundary"), memory);
  }

  const Scene& scene() const { return scene_; }
  Stepper& stepper() { return *stepper_; }
  // Where it is asked for what the state is.
  Stepper& whole_stepper() {
    guard_.require();
    return *stepper_;
  }
  const FrameStats& stats() const { return stats_; }

 private:
  struct Advancing {  // while a call makes steps
    explicit Advancing(bool& flag) : on(flag) { on = true; }
    ~Advancing() { on = false; }
    bool& on;
  };
  template <class Run>
  bool advance(const char* what, Run&& run) {
    refuse_in_callback(what);
    const Advancing here(advancing_);
    const auto advanced = [&] {
      count_passed_frames();
      return run();
    };
    return guard_.advancing(advanced, [this] { return stepper_->is_half_way(); });
  }

  static constexpr double kMostFrames = 1e9, kNever = std::numeric_limits<double>::infinity();
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  double end_of_frame(int frame) const {
    return static_cast<double>(frame) / scene_.simulation.fps;
  }
  // Frames that have ended while none was being made count as completed.
  void count_passed_frames() {
    if (!in_frame_) frame_ = std::max(frame_, frames_before(time()));
  }
  int frames_before(double t) const {
    int passed = static_cast<int>(std::min(t * scene_.simulation.fps, kMostFrames));
    if (end_of_frame(passed) > t) --passed;  // by rounding
    if (end_of_frame(passed + 1) <= t) ++passed;
    return passed;
  }
  void begin_frame() {
    stepper_->begin_frame();
    frame_begin_ = time();
    frame_seconds_ = 0;
    earlier_ = {};
    in_frame_ = true;
  }
  bool advance_within_frame(double target, const StepWatch& watch) {
    const auto start = Clock::now();
    if (!in_frame_) begin_frame();
    bool on_its_way = true;
    for (double stop = 0; on_its_way && stop != target;) {
      emit_due();
      stop = next_stop(target);
      on_its_way = stepper_->run_until(stop, watch);
    }
    frame_seconds_ += seconds_since(start);
    return on_its_way;
  }
  void complete_frame() {
    in_frame_ = false;
    const bool whole = frame_begin_ == end_of_frame(frame_);
    ++frame_;
    measure_frame(frame_seconds_, whole ? end_of_frame(1) : end_of_frame(frame_) - frame_begin_);
    check_frame();
  }

  SamplingWatch filling_of(std::size_t body,
                           const std::function<void(const Filling&)>& filling) const {
    if (!filling) return {};
    return [this, body, &filling](double part, std::size_t points) {
      filling({body, scene_.bodies.size(), part, std::int64_t(owners_.next_id() + points)});
    };
  }
  std::function<StepInfo(const StepControl&)> told() const {
    return [this](const StepControl& c) {
      const double begin = c.time - c.dt + same_time(scene_);
      return step_info(c, in_frame_ ? frame_ : std::max(frame_, frames_before(begin)));
    };
  }
  void append(const ParticleBatch& batch, std::uint32_t owner) {
    if (batch.position.empty()) return;
    owners_.require_room(batch.position.size());
    stepper_->append(batch, owners_.next_id());
    owners_.add(static_cast<std::uint32_t>(batch.position.size()), owner, batch.material);
  }
  void refuse_in_callback(const char* what) const {
    if (advancing_)
      throw Error(ErrorCategory::kScene,
                  std::string(what) +
                      ": not from a callback, which comes in the middle of a call; let "
                      "the callback stop it");
  }

  // Only where particles hold their momentum, which next_stop sees to.
  void emit_due() {
    const StepControl c = stepper_->control();
    if (c.carried != 0) return;
    bool any = false;
    sources_.emit_until(
        c.time, c.step == 0 || (c.stop & kStopTarget) != 0,
        [&](const Vec3& min, const Vec3& max) { return stepper_->particles_within(min, max); },
        [&](std::size_t source, const ParticleBatch& batch) {
          append(batch, owners_.of_source(source));
          energy_.emitted(batch);
          any = true;
        });
    if (any) set_inflows();
  }
  double next_stop(double target) {
    const StepControl c = stepper_->control();
    const double stop = sources_.next_stop(target);
    return c.carried != 0 && stop <= c.time ? std::nextafter(c.time, kNever) : stop;
  }
  void set_inflows() {
    if (traits_of(scene_).staggered) stepper_->set_inflows(sources_.inflows());
  }

  void check_frame() const {
    require_finite(stats_);
    energy_.check(stats_);
  }

  FrameSolves solves_of_frame() const {
    if (!in_frame_) return {};
    FrameStats stats;
    stepper_->report(stats);
    earlier_.put_before(stats);
    return FrameSolves::of(stats);
  }
  // `seconds`: what the frame took of simulated time.
  void measure_frame(double wall_seconds, double seconds) {
    FrameStats s = frame_stats(scene_, stepper_->control());
    s.frame = frame_;
    s.emitted = owners_.emitted();
    s.added = owners_.added();
    s.grown = stepper_->grown();
    s.memory_bytes = stepper_->memory_bytes();
    s.wall_seconds = wall_seconds;
    s.times = stepper_->times();
    s.enqueued = stepper_->enqueued();
    if (scene_.output.diagnostics != DiagnosticsLevel::kOff) s.totals = totals_of_state();
    stepper_->report(s);
    earlier_.put_before(s);
    s.colliders = stepper_->colliders();
    s.reactions = stepper_->reactions();
    s.contacts = stepper_->contacts();
    if (s.steps > 0 && (own_force_ || own_boundary_)) energy_.give_up();
    energy_.measure(s);
    average(s, seconds);
    stats_ = std::move(s);
  }

  Scene scene_;
  ParticleOwners owners_{scene_};
  std::unique_ptr<Stepper> stepper_;
  Sources sources_{scene_};
  EnergyWatch energy_{scene_};
  StateGuard guard_;
  int frame_ = 0;
  bool in_frame_ = false, advancing_ = false, between_steps_ = false;
  bool own_force_ = false, own_boundary_ = false;
  double frame_begin_ = 0;    // s, simulated
  double frame_seconds_ = 0;  // wall time spent on the frame so far
  FrameSolves earlier_;       // of the frame, before a state was loaded
  FrameStats stats_;
};

}  // namespace firn
