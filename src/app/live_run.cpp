#include "src/app/live_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "src/app/going_on.h"
#include "src/app/interrupt.h"
#include "src/app/scene_catalog.h"
#include "src/scene/continuation.h"
#include "src/scene/input_files.h"
#include "src/scene/output_channels.h"

namespace firn::app {
namespace {

// A picture between two frames may take this part of the time that steps have.
constexpr double kPartOfPictures = 0.05;
constexpr double kBetweenPictures = 0.1;  // s, at least
constexpr double kBetweenPaces = 0.25;    // s
constexpr std::chrono::milliseconds kGlance{100};

struct Interrupted {};  // while bodies are filled

Error has_failed() {
  return {ErrorCategory::kScene, "the run has failed, and can only begin again"};
}

}  // namespace

LiveRun::LiveRun(const Scene& scene, const Options& options, view::Session& session,
                 const RunDirectory* directory)
    : options_(options),
      session_(session),
      directory_(directory),
      progress_(options),
      playing_(!options.paused),
      scene_(scene),
      overrides_(scene_options(options).overrides) {
  session_.set_scene(scene, true);
}

void LiveRun::begin() {
  thread_ = std::thread([this] { work(); });
}

LiveRun::~LiveRun() {
  try {
    stop();
  } catch (...) {  // what could not be saved has been asked for by stop() or by nobody
  }
}

std::string LiveRun::stop() {
  {
    const std::lock_guard lock(mutex_);
    orders_.stop = true;
    attention_ = true;
    ordered_.notify_all();
  }
  if (!thread_.joinable()) return "";
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
  return to_go_on_;
}

void LiveRun::play() {
  const std::lock_guard lock(mutex_);
  playing_ = true;
  ordered_.notify_all();
}

void LiveRun::pause() {
  const std::lock_guard lock(mutex_);
  playing_ = false;
  attention_ = true;
  ordered_.notify_all();
}

void LiveRun::step() {
  const std::lock_guard lock(mutex_);
  playing_ = false;
  orders_.step = true;
  attention_ = true;
  ordered_.notify_all();
}

// On the thread of the request, so that what is refused is refused at once.
void LiveRun::set(const std::vector<std::string>& assignments, bool again) {
  const std::lock_guard one_at_a_time(setting_);
  Change change;
  std::string saved;
  {
    const std::lock_guard lock(mutex_);
    change.overrides = overrides_;
    saved = scene_.resolved_toml;
    if (failed_ && !again) throw has_failed();
  }
  change.overrides.insert(change.overrides.end(), assignments.begin(), assignments.end());
  const std::string path = find_scene(options_.target);
  const SceneOptions how{options_.variant, change.overrides};
  change.scene = again ? load_scene(path, how) : scene::continue_scene(path, saved, how);
  if (directory_ != nullptr) require_outputs(change.scene);
  const std::lock_guard lock(mutex_);
  if (failed_ && !again) throw has_failed();  // meanwhile
  // An order that still waits is replaced, but not the beginning that it asked for.
  change.again = again || (orders_.change && orders_.change->again);
  if (!change.again) require_continuable(change.scene, files_, frame_);
  change.scene.name = scene_.name;
  overrides_ = change.overrides;
  scene_ = change.scene;
  orders_.change = std::move(change);
  attention_ = true;
  ordered_.notify_all();
}

std::exception_ptr LiveRun::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

LiveRun::Orders LiveRun::wait_for_orders() {
  std::unique_lock lock(mutex_);
  const auto has_orders = [this] {
    return orders_.stop || orders_.step || orders_.change || (playing_ && !complete_);
  };
  if (!has_orders()) {
    pace_.steps_per_second = 0;
    session_.set_pace(pace_);
    if (!complete_) session_.set_phase(view::Phase::kPaused);  // behind which nothing changes
    while (!ordered_.wait_for(lock, kGlance, has_orders)) {
      lock.unlock();
      show_costly_if_wanted();
      lock.lock();
    }
  }
  attention_ = false;
  return std::exchange(orders_, {});
}

void LiveRun::work() {
  try {
    fill(scene_, nullptr);
    follow_orders();
    stop_record();
  } catch (const Interrupted&) {
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
}

void LiveRun::stop_record() {
  if (!record_ || complete_) return;
  record_->save_checkpoint(*simulation_);
  record_->end(*simulation_, "interrupted by a signal");
  to_go_on_ = command_to_resume(directory_->path().string());
}

void LiveRun::follow_orders() {
  while (true) {
    Orders orders = wait_for_orders();
    if (orders.stop) return;
    try {
      if (orders.change) apply(*orders.change);
      if (!complete_) advance(orders.step);
    } catch (const Error& error) {
      fail(error);
    } catch (const std::bad_alloc&) {
      fail(out_of_memory());
    }
  }
}

// What failed stays to be looked at, and can be begun again with other values.
void LiveRun::fail(const Error& error) {
  complete_ = true;
  const bool recorded = record_ && simulation_;
  session_.set_phase(view::Phase::kFailed,
                     recorded ? record_->failed(*simulation_, error).what() : error.what());
  const std::lock_guard lock(mutex_);
  failed_ = true;
  // There is no state any more that what waits could go on from.
  if (orders_.change && !orders_.change->again) orders_.change.reset();
}

void LiveRun::fill(const Scene& scene, const std::vector<std::byte>* state) {
  const Clock::time_point started = filled_ ? Clock::now() : options_.started;
  filled_ = true;
  simulation_.reset();
  running_ = scene;
  session_.set_phase(view::Phase::kFilling);
  if (state == nullptr) {  // from here on orders are held against this beginning
    auto files = input_files(scene);
    const std::lock_guard lock(mutex_);
    files_ = std::move(files);
    failed_ = false;
    frame_ = 0;
  }
  maker_.emplace(scene, static_cast<std::size_t>(options_.max_points));
  simulation_.emplace(scene, options_.run, [this](const Filling& at) {
    if (InterruptGuard::requested() != 0) throw Interrupted{};
    if (seconds_since(shown_at_) < kBetweenPictures) return;
    shown_at_ = Clock::now();
    session_.set_filling((static_cast<double>(at.body) + at.part) /
                         static_cast<double>(std::max<std::size_t>(at.bodies, 1)));
  });
  pace_ = {};
  pace_.device = simulation_->device_name();
  complete_ = false;
  const Snapshot first = simulation_->snapshot(maker_->parts());
  session_.set_stage(scene, first);
  if (state != nullptr) {
    go_on(scene, *state);
    show_passing();
  } else {
    if (directory_ && !record_) record_.emplace(*directory_, progress_, options_.checkpoint_time);
    if (record_)
      record_->begin(scene, *simulation_, started);
    else
      sensors_.emplace(scene);
    complete_frame();
  }
  end_where_complete();
}

void LiveRun::go_on(const Scene& scene, const std::vector<std::byte>& state) {
  if (record_) {
    const Snapshot first = simulation_->snapshot(shown_parts(scene));
    simulation_->load_state(state);
    record_->change(scene, *simulation_, first);
    return;
  }
  const std::vector<double> read = sensors_->state();
  sensors_.emplace(scene);
  sensors_->set_state(read);
  simulation_->load_state(state);
}

void LiveRun::apply(const Change& change) {
  session_.set_scene(change.scene, change.again);
  if (change.again) return fill(change.scene, nullptr);
  const std::vector<std::byte> state = simulation_->save_state();
  fill(change.scene, &state);
}

// To the end of the frame, or of a step, or until an order comes. All of these go through the same
// steps.
void LiveRun::advance(bool single) {
  session_.set_phase(single ? view::Phase::kPaused : view::Phase::kRunning);
  Observer observer;
  observer.interrupted = [this] {
    show_passing_if_due();
    return attention_.load();
  };
  if (single || !simulation_->on_cuda())
    observer.step = [this, single](const StepInfo& info) {
      count_step(info);
      return !single;
    };
  const int frame = simulation_->stats().frame;
  advance_frame(observer);
  if (simulation_->stats().frame > frame) {
    complete_frame();
    if (record_) record_->complete_frame(*simulation_);
    end_where_complete();
  } else {
    show_passing();
  }
}

bool LiveRun::advance_frame(const Observer& observer) {
  if (record_) return record_->advance_frame(*simulation_, observer);
  return sensors_->advance_frame(
      *simulation_, [](const SensorReading&) {}, observer);
}

view::Picture LiveRun::picture_of_frame() {
  costly_ = session_.costly();
  view::Picture picture =
      maker_->make(simulation_->snapshot(maker_->parts()), simulation_->stats().frame, costly_);
  add_moment(picture);
  return picture;
}

// What a picture has beside the particles.
void LiveRun::add_moment(view::Picture& picture) {
  picture.time = simulation_->time();
  picture.tracers = maker_->tracers(simulation_->tracers());
  picture.colliders = simulation_->colliders();
}

// While nothing goes on: the picture that is there lacks what somebody has begun to look at.
void LiveRun::show_costly_if_wanted() {
  const std::string wanted = session_.costly();
  if (wanted.empty() || wanted == costly_ || !simulation_ || failed_) return;
  view::Picture picture = picture_of_frame();
  picture.passing = simulation_->time() != simulation_->stats().time;
  session_.replace_newest(std::move(picture));
}

void LiveRun::complete_frame() {
  const FrameStats stats = simulation_->stats();
  frame_ = stats.frame;
  pace_.steps = stats.total_steps;
  pace_.particles = stats.particles;
  session_.add_row(view::ledger_row(running_, stats));
  session_.add(picture_of_frame());
  shown_at_ = Clock::now();
  tell_pace();
}

void LiveRun::end_where_complete() {
  if (simulation_->stats().frame < running_.simulation.frames) return;
  complete_ = true;
  if (record_) {
    record_->save_checkpoint(*simulation_);
    record_->end(*simulation_, "");
  }
  session_.set_phase(view::Phase::kEnded);
}

void LiveRun::show_passing() {
  const Clock::time_point start = Clock::now();
  costly_ = session_.costly();
  view::Picture picture = maker_->make(simulation_->snapshot({false, false, false}),
                                       simulation_->stats().frame, costly_);
  add_moment(picture);
  picture.passing = true;
  session_.add(std::move(picture));
  shown_at_ = Clock::now();
  picture_seconds_ = seconds_since(start);
}

// Long frames show life; where nobody looks they have no need to.
void LiveRun::show_passing_if_due() {
  const double since = seconds_since(shown_at_);
  if (since < kBetweenPictures || since < picture_seconds_ / kPartOfPictures) return;
  if (session_.is_watched()) show_passing();
}

void LiveRun::count_step(const StepInfo& info) {
  pace_.steps = info.step;
  pace_.dt = info.dt;
  pace_.particles = info.particles;
  if (seconds_since(paced_at_) >= kBetweenPaces) tell_pace();
}

void LiveRun::tell_pace() {
  const double since = seconds_since(paced_at_);
  if (since >= kBetweenPaces) {
    pace_.steps_per_second = static_cast<double>(pace_.steps - paced_steps_) / since;
    paced_steps_ = pace_.steps;
    paced_at_ = Clock::now();
  }
  session_.set_pace(pace_);
}

}  // namespace firn::app
