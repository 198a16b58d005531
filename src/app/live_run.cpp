#include "src/app/live_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "firn/error.h"
#include "firn/scene_file.h"
#include "src/app/interrupt.h"
#include "src/app/scene_catalog.h"
#include "src/scene/continuation.h"

namespace firn::app {
namespace {

// A picture between two frames may take this part of the time that steps have.
constexpr double kPartOfPictures = 0.05;
constexpr double kBetweenPictures = 0.1;  // s, at least
constexpr double kBetweenPaces = 0.25;    // s
constexpr std::chrono::milliseconds kGlance{100};

struct Interrupted {};  // while bodies are filled

}  // namespace

LiveRun::LiveRun(const Scene& scene, const Options& options, view::Session& session,
                 LiveFiles* files)
    : options_(options),
      session_(session),
      files_(files),
      playing_(!options.paused),
      scene_(scene),
      overrides_(scene_options(options).overrides) {
  session_.set_scene(scene, true);
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
  Change change;
  std::string saved;
  {
    const std::lock_guard lock(mutex_);
    change.overrides = overrides_;
    saved = scene_.resolved_toml;
    if (failed_ && !again)
      throw Error(ErrorCategory::kScene, "the run has failed, and can only begin again");
  }
  change.overrides.insert(change.overrides.end(), assignments.begin(), assignments.end());
  change.again = again;
  const std::string path = find_scene(options_.target);
  const SceneOptions how{options_.variant, change.overrides};
  change.scene = again ? load_scene(path, how) : scene::continue_scene(path, saved, how);
  const std::lock_guard lock(mutex_);
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
    if (!complete_) session_.set_phase(view::Phase::kPaused);
    pace_.steps_per_second = 0;
    session_.set_pace(pace_);
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
    if (files_ && !complete_) to_go_on_ = files_->save_checkpoint(*simulation_);
  } catch (const Interrupted&) {
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
}

void LiveRun::follow_orders() {
  while (true) {
    Orders orders = wait_for_orders();
    if (orders.stop) return;
    try {
      if (orders.change) apply(*orders.change);
      if (!complete_) advance(orders.step);
    } catch (const Error& error) {
      fail(error.what());
    } catch (const std::bad_alloc&) {
      fail("out of memory; use fewer particles (a larger grid.dx or fewer particles_per_cell)");
    }
  }
}

// What failed stays to be looked at, and can be begun again with other values.
void LiveRun::fail(const std::string& message) {
  complete_ = true;
  session_.set_phase(view::Phase::kFailed, message);
  const std::lock_guard lock(mutex_);
  failed_ = true;
}

void LiveRun::fill(const Scene& scene, const std::vector<std::byte>* state) {
  simulation_.reset();
  running_ = scene;
  session_.set_phase(view::Phase::kFilling);
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
  {
    const std::lock_guard lock(mutex_);
    failed_ = false;
  }
  const Snapshot first = simulation_->snapshot(maker_->parts());
  session_.set_stage(scene, first);
  if (state != nullptr) {
    simulation_->load_state(*state);
    if (files_) files_->go_on(scene, first, simulation_->stats().frame);
    show_passing();
  } else {
    if (files_) files_->begin(scene, *simulation_);
    complete_frame();
  }
  end_where_complete();
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
  simulation_->advance_frame(observer);
  if (simulation_->stats().frame > frame) {
    complete_frame();
    if (files_) files_->complete_frame(*simulation_, simulation_->stats());
    end_where_complete();
  } else {
    show_passing();
  }
}

view::Picture LiveRun::picture_of_frame() {
  costly_ = session_.costly();
  view::Picture picture =
      maker_->make(simulation_->snapshot(maker_->parts()), simulation_->stats().frame, costly_);
  picture.time = simulation_->time();
  picture.colliders = simulation_->colliders();
  return picture;
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
  pace_.steps = stats.total_steps;
  pace_.particles = stats.particles;
  session_.add_row(view::ledger_row(running_, stats));
  session_.add(picture_of_frame());
  shown_at_ = Clock::now();
  tell_pace();
}

void LiveRun::end_where_complete() {
  if (simulation_->stats().frame < running_.simulation.frames) return;
  if (files_) files_->save_checkpoint(*simulation_);
  complete_ = true;
  session_.set_phase(view::Phase::kEnded);
}

void LiveRun::show_passing() {
  const Clock::time_point start = Clock::now();
  costly_ = session_.costly();
  view::Picture picture = maker_->make(simulation_->snapshot({false, false, false}),
                                       simulation_->stats().frame, costly_);
  picture.time = simulation_->time();
  picture.passing = true;
  picture.colliders = simulation_->colliders();
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
