// Frames on top of steps: the initial fill, sources that pulse at exact times, what a frame
// reports, and the state that a checkpoint holds.
#include "firn/simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <new>

#include "firn/error.h"
#include "kernels/exec/backend.h"
#include "src/run/stepper.h"
#include "src/scene/mass_properties.h"
#include "src/state/batch.h"
#include "src/state/bytes.h"

namespace firn {

namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// More than what a saved state holds beside channels and lists.
constexpr std::size_t kStateHeader = 4096;

struct SourceState {
  SourcePulse pulse;
  std::uint64_t pulses = 0;  // emitted so far

  double next_time(const Source& source) const {
    if (pulses > 0 && pulse.period == 0) return std::numeric_limits<double>::infinity();
    const double t = source.start + static_cast<double>(pulses) * pulse.period;
    return t < source.end ? t : std::numeric_limits<double>::infinity();
  }
};

DtLimit most_frequent(const StepControl& c) {
  // The end of a frame cuts one or two steps of every frame; it is named only where nothing else
  // ever limited.
  int best = 0;
  for (int i = 1; i < static_cast<int>(StepLimit::kFrameEnd); ++i)
    if (c.limited[i] > c.limited[best]) best = i;
  return c.limited[best] > 0 ? static_cast<DtLimit>(best) : DtLimit::kFrameEnd;
}

Vec3 periods(const Scene& scene) {
  Vec3 lengths{};
  if (!scene.grid.domain) return lengths;
  const Domain& domain = *scene.grid.domain;
  for (int a = 0; a < scene.simulation.dimension; ++a)
    if (domain.boundary[2 * a] == BoundaryType::kPeriodic)
      lengths[a] = domain.max[a] - domain.min[a];
  return lengths;
}

// Made while there is memory for its text.
const std::exception_ptr& out_of_memory() {
  static const std::exception_ptr error = std::make_exception_ptr(
      Error(ErrorCategory::kDevice, "out of memory; use fewer particles or a larger grid.dx"));
  return error;
}

// Host memory that runs out ends like device memory that does.
template <class Action>
auto with_memory(Action&& action) {
  const std::exception_ptr& exhausted = out_of_memory();
  try {
    return action();
  } catch (const std::bad_alloc&) {
    std::rethrow_exception(exhausted);
  }
}

}  // namespace

class Simulation::Impl {
 public:
  Impl(const Scene& scene, const RunOptions& options)
      : scene_(scene),
        stepper_(make_stepper(scene_, options.device, options.threads,
                              [this](std::uint32_t id) { return name_of(id); })) {
    for (std::size_t s = 0; s < scene_.sources.size(); ++s)
      sources_.push_back({fill_source(scene_, s), 0});
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b)
      append(fill_body(scene_, b), static_cast<std::uint32_t>(b));
    if (next_id_ == 0 && sources_.empty())
      throw Error(ErrorCategory::kScene,
                  "the scene has no particles: every body is smaller than the sampling distance; "
                  "use a smaller grid.dx "
                  "or more particles_per_cell");
    stepper_->initialize();
    measure_frame(0, 0);
  }

  bool advance_frame(const Observer& observer) {
    count_passed_frames();
    return advance_until(end_of_frame(frame_ + 1), observer);
  }

  bool advance_until(double t, const Observer& observer) {
    if (std::isnan(t))
      throw Error(ErrorCategory::kScene, "advance_until: the time is not a number");
    count_passed_frames();
    bool stopped = false;
    const StepWatch watch = watch_for(observer, stopped);
    const double slack = kSameTime / scene_.simulation.fps;
    while (true) {
      const double end = end_of_frame(frame_ + 1);
      const bool whole_frame = t > end - slack;
      if (!whole_frame && time() > t - slack) return true;
      if (stopped || !advance_within_frame(whole_frame ? end : t, watch)) return false;
      if (!whole_frame) continue;
      complete_frame();
      if (observer.frame && !observer.frame(stats_)) stopped = true;
    }
  }

  bool advance_steps(std::int64_t steps, const Observer& observer) {
    begin_frame();
    in_frame_ = false;
    bool stopped = false;
    const StepWatch watch = watch_for(observer, stopped);
    const auto start = Clock::now();
    const auto made = [&] { return static_cast<std::int64_t>(stepper_->control().frame_steps); };
    bool on_its_way = true;
    while (on_its_way && made() < steps) {
      emit_due();
      on_its_way = stepper_->run_steps(steps - made(), next_emission(), watch);
    }
    count_passed_frames();
    measure_frame(seconds_since(start), time() - frame_begin_);
    return made() >= steps;
  }

  double time() { return stepper_->control().time; }

  Totals totals() {
    Totals totals = stepper_->totals();
    if (stepper_->control().carried == 0) return totals;
    totals.momentum.fill(kUnknown);
    totals.angular_momentum.fill(kUnknown);
    totals.kinetic = kUnknown;
    return totals;
  }

  Snapshot snapshot(const SnapshotParts& parts) {
    Snapshot s = stepper_->snapshot(parts);
    s.body.reserve(s.size());
    for (std::uint32_t id : s.id) s.body.push_back(static_cast<std::uint16_t>(range_of(id).body));
    s.dx = scene_.grid.dx;
    s.period = periods(scene_);
    return s;
  }

  std::vector<std::byte> save_state() {
    ByteWriter out;
    out.reserve(stepper_->memory_bytes() + ranges_.size() * sizeof(IdRange) + kStateHeader);
    out.value(frame_);
    out.value(std::uint32_t{in_frame_});
    out.value(next_id_);
    out.values(std::span<const IdRange>(ranges_));
    out.value(static_cast<std::uint64_t>(sources_.size()));
    for (const SourceState& s : sources_) out.value(s.pulses);
    out.value(stats_.time);
    out.value(stats_.totals);
    stepper_->save(out);
    return out.take();
  }
  void load_state(std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    const int frame = in.value<int>();
    const auto in_frame = in.value<std::uint32_t>();
    const auto next_id = in.value<std::uint32_t>();
    auto ranges = in.values<IdRange>();
    if (in.value<std::uint64_t>() != sources_.size())
      throw Error(ErrorCategory::kFile,
                  "the saved state has another number of sources than this scene");
    std::vector<std::uint64_t> pulses;
    for (std::size_t s = 0; s < sources_.size(); ++s) pulses.push_back(in.value<std::uint64_t>());
    if (frame < 0 || in_frame > 1 || !owners_fit(ranges, next_id, pulses))
      throw Error(ErrorCategory::kFile,
                  "the saved state has other bodies or sources than this scene");
    const auto time = in.value<double>();
    const auto totals = in.value<Totals>();
    stepper_->load(in, next_id);
    in.expect_end();
    frame_ = frame;
    in_frame_ = in_frame == 1;
    frame_begin_ = end_of_frame(frame_);
    frame_seconds_ = 0;
    next_id_ = next_id;
    ranges_ = std::move(ranges);
    for (std::size_t s = 0; s < sources_.size(); ++s) sources_[s].pulses = pulses[s];
    measure_frame(0, end_of_frame(1));
    stats_.time = time;  // of the last completed frame: the state may lie after it
    stats_.totals = totals;
  }

  void set_collider_motion(std::size_t collider, const Keyframes& motion) {
    if (collider >= scene_.colliders.size())
      throw Error(ErrorCategory::kScene, "set_collider_motion: there is no collider " +
                                             std::to_string(collider) + "; the scene has " +
                                             std::to_string(scene_.colliders.size()));
    const Collider& moved = scene_.colliders[collider];
    const std::string what = "collider \"" + moved.name + "\"";
    if (moved.dynamics)
      throw Error(ErrorCategory::kScene,
                  what + ": material moves it, so it cannot follow key frames");
    check_motion(motion, what);
    stepper_->set_collider_motion(collider, motion);
  }
  void set_collider_motion(const std::string& name, const Keyframes& motion) {
    const auto found = std::find_if(scene_.colliders.begin(), scene_.colliders.end(),
                                    [&](const Collider& c) { return c.name == name; });
    if (found == scene_.colliders.end())
      throw Error(ErrorCategory::kScene,
                  "set_collider_motion: there is no collider \"" + name + "\"");
    set_collider_motion(static_cast<std::size_t>(found - scene_.colliders.begin()), motion);
  }

  Stepper& stepper() { return *stepper_; }
  const FrameStats& stats() const { return stats_; }

 private:
  static constexpr double kSameTime = 1e-6, kMostFrames = 1e9;  // frames
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  double end_of_frame(int frame) const {
    return static_cast<double>(frame) / scene_.simulation.fps;
  }
  // Frames that have ended while none was being made count as completed.
  void count_passed_frames() {
    if (in_frame_) return;
    const double now = time();
    int passed = static_cast<int>(std::min(now * scene_.simulation.fps, kMostFrames));
    if (end_of_frame(passed) > now) --passed;  // by rounding
    if (end_of_frame(passed + 1) <= now) ++passed;
    frame_ = std::max(frame_, passed);
  }
  void begin_frame() {
    stepper_->begin_frame();
    frame_begin_ = time();
    frame_seconds_ = 0;
    in_frame_ = true;
  }
  bool advance_within_frame(double target, const StepWatch& watch) {
    const auto start = Clock::now();
    if (!in_frame_) begin_frame();
    bool on_its_way = true;
    for (double stop = 0; on_its_way && stop != target;) {
      emit_due();
      stop = std::min(target, next_emission());
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
  }

  // Its callbacks in the stepper's terms. `stopped` is set where one of them ends the call: it
  // may do so at a step that ends where a source emits, or a frame does.
  StepWatch watch_for(const Observer& observer, bool& stopped) {
    StepWatch watch{observer.interrupted, {}};
    if (!observer.step) return watch;
    watch.interrupted = [&] { return stopped || (observer.interrupted && observer.interrupted()); };
    watch.after_step = [&](const StepControl& c) { stopped = !observer.step(step_info(c)); };
    return watch;
  }
  StepInfo step_info(const StepControl& c) const {
    return {static_cast<std::int64_t>(c.step),
            frame_,
            c.time,
            c.dt,
            static_cast<DtLimit>(c.limit),
            c.n_particles,
            std::sqrt(c.speed_squared)};
  }

  // Whether the ranges tile the ids, their owners are in the scene, and each source has emitted
  // what it counted.
  bool owners_fit(const std::vector<IdRange>& ranges, std::uint32_t next_id,
                  const std::vector<std::uint64_t>& pulses) const {
    const std::size_t bodies = scene_.bodies.size();
    std::vector<std::uint64_t> counted(pulses.size(), 0);
    std::uint64_t next = 0;
    for (const IdRange& r : ranges) {
      if (r.first != next || r.count == 0 || r.body >= bodies + pulses.size()) return false;
      const int material = r.body < bodies ? scene_.bodies[r.body].material
                                           : scene_.sources[r.body - bodies].material;
      if (r.material != static_cast<std::uint32_t>(material)) return false;
      if (r.body >= bodies) ++counted[r.body - bodies];
      next += r.count;
    }
    for (std::size_t s = 0; s < pulses.size(); ++s)
      if (!sources_[s].pulse.batch.position.empty() && counted[s] != pulses[s]) return false;
    return next == next_id;
  }

  void append(const ParticleBatch& batch, std::uint32_t body) {
    const auto n = static_cast<std::uint32_t>(batch.position.size());
    if (n == 0) return;
    if (batch.position.size() > std::numeric_limits<std::uint32_t>::max() - next_id_)
      throw Error(ErrorCategory::kDevice, "more than 2^32 particles are not supported");
    stepper_->append(batch, next_id_);
    ranges_.push_back({next_id_, n, body, batch.material});
    next_id_ += n;
  }

  double next_emission() const {
    double t = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < sources_.size(); ++s)
      t = std::min(t, sources_[s].next_time(scene_.sources[s]));
    return t;
  }
  void emit_due() {
    const double now = stepper_->control().time;
    for (std::size_t s = 0; s < sources_.size(); ++s)
      while (sources_[s].next_time(scene_.sources[s]) <= now) {
        append(sources_[s].pulse.batch, static_cast<std::uint32_t>(scene_.bodies.size() + s));
        ++sources_[s].pulses;
      }
  }

  const IdRange& range_of(std::uint32_t id) const {
    auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), id,
                         [](std::uint32_t value, const IdRange& r) { return value < r.first; });
    return after == ranges_.begin() ? ranges_.front() : *(after - 1);
  }
  std::string name_of(std::uint32_t id) const {
    if (ranges_.empty()) return "particle " + std::to_string(id);
    const IdRange& range = range_of(id);
    const bool from_body = range.body < scene_.bodies.size();
    const std::string& owner = from_body ? scene_.bodies[range.body].name
                                         : scene_.sources[range.body - scene_.bodies.size()].name;
    return "particle " + std::to_string(id) + " of " + (from_body ? "body" : "source") + " \"" +
           owner + "\" (material \"" + scene_.materials[range.material].name + "\")";
  }

  // `seconds`: what the frame took of simulated time.
  void measure_frame(double wall_seconds, double seconds) {
    const StepControl c = stepper_->control();
    FrameStats s;
    s.frame = frame_;
    s.time = c.time;
    s.steps = static_cast<std::int64_t>(c.frame_steps);
    s.total_steps = static_cast<std::int64_t>(c.step);
    s.dt_min = c.dt_smallest;
    s.dt_max = c.dt_largest;
    s.dt_last = c.dt;
    s.limited_by = s.steps > 0 ? most_frequent(c) : DtLimit::kNone;
    if (s.limited_by == DtLimit::kWaveSpeed || s.limited_by == DtLimit::kViscosity)
      s.limiting_material = scene_.materials[c.limit_material].name;
    s.particles = c.n_particles;
    s.blocks = c.n_blocks;
    s.chunks = c.n_chunks;
    s.removed = c.removed;
    s.layouts = static_cast<std::int64_t>(c.layouts);
    s.late = static_cast<std::int64_t>(c.late_total + c.late);
    for (const IdRange& r : ranges_)
      if (r.body >= scene_.bodies.size()) s.emitted += r.count;
    s.grown = stepper_->grown();
    s.memory_bytes = stepper_->memory_bytes();
    s.max_speed = std::sqrt(c.speed_squared);
    s.wall_seconds = wall_seconds;
    s.times = stepper_->times();
    s.enqueued = stepper_->enqueued();
    if (scene_.output.diagnostics != DiagnosticsLevel::kOff) s.totals = totals();
    stepper_->report(s);
    s.colliders = stepper_->colliders();
    s.reactions = stepper_->reactions();
    if (seconds > 0)
      for (ColliderReaction& r : s.reactions)
        for (std::size_t a = 0; a < 3; ++a) {
          r.force[a] /= seconds;
          r.torque[a] /= seconds;
        }
    stats_ = std::move(s);
  }

  Scene scene_;
  std::unique_ptr<Stepper> stepper_;
  std::vector<SourceState> sources_;
  std::vector<IdRange> ranges_;  // ascending first ids
  std::uint32_t next_id_ = 0;
  int frame_ = 0;
  bool in_frame_ = false;
  double frame_begin_ = 0;    // s, simulated
  double frame_seconds_ = 0;  // wall time spent on the frame so far
  FrameStats stats_;
};

Simulation::Simulation(const Scene& scene, const RunOptions& options)
    : impl_(with_memory([&] { return std::make_unique<Impl>(scene, options); })) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

bool Simulation::advance_frame(const std::function<bool()>& interrupted) {
  return with_memory([&] { return impl_->advance_frame({interrupted, {}, {}}); });
}
bool Simulation::advance_frame(const Observer& observer) {
  return with_memory([&] { return impl_->advance_frame(observer); });
}
bool Simulation::advance_until(double t, const Observer& observer) {
  return with_memory([&] { return impl_->advance_until(t, observer); });
}
bool Simulation::advance_steps(std::int64_t steps, const Observer& observer) {
  return with_memory([&] { return impl_->advance_steps(steps, observer); });
}
double Simulation::time() const { return impl_->time(); }
void Simulation::set_body_force(BodyForce force) {
  impl_->stepper().set_body_force(std::move(force));
}
void Simulation::time_stages(bool on) { impl_->stepper().time_stages(on); }
FrameStats Simulation::stats() const { return impl_->stats(); }
Snapshot Simulation::snapshot(const SnapshotParts& parts) const {
  return with_memory([&] { return impl_->snapshot(parts); });
}
Snapshot Simulation::tracers() const {
  return with_memory([&] { return impl_->stepper().tracers(); });
}
std::vector<ColliderState> Simulation::colliders() const { return impl_->stepper().colliders(); }
void Simulation::set_collider_motion(std::size_t collider, const Keyframes& motion) {
  impl_->set_collider_motion(collider, motion);
}
void Simulation::set_collider_motion(const std::string& collider, const Keyframes& motion) {
  impl_->set_collider_motion(collider, motion);
}
Totals Simulation::totals() const { return impl_->totals(); }
std::string Simulation::device_name() const { return impl_->stepper().device_name(); }
bool Simulation::on_cuda() const { return device_name().starts_with("cuda"); }
std::vector<std::byte> Simulation::save_state() const {
  return with_memory([&] { return impl_->save_state(); });
}
void Simulation::load_state(const std::vector<std::byte>& bytes) {
  with_memory([&] { impl_->load_state(bytes); });
}

std::vector<std::string> cuda_devices() { return find_cuda_devices().names; }
std::string why_no_cuda_device() {
  const CudaDevices found = find_cuda_devices();
  return found.names.empty() ? found.problem : "";
}
bool built_with_cuda() {
#if defined(FIRN_WITH_CUDA)
  return true;
#else
  return false;
#endif
}

}  // namespace firn
