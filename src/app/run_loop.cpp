#include "src/app/run_loop.h"

#include <fmt/format.h>

#include <functional>
#include <new>
#include <optional>
#include <utility>

#include "firn/error.h"
#include "firn/sensors.h"
#include "firn/version.h"
#include "src/app/format.h"
#include "src/app/frame_writer.h"
#include "src/app/interrupt.h"
#include "src/app/json_out.h"
#include "src/app/machine.h"
#include "src/app/run_report.h"
#include "src/app/sensor_writer.h"
#include "src/app/stopwatch.h"
#include "src/io/atomic_file.h"
#include "src/io/particle_formats.h"
#include "src/run/energy_watch.h"
#include "src/run/start_checks.h"
#include "src/scene/input_files.h"
#include "src/scene/output_channels.h"

namespace firn::app {
namespace {

Simulation sampled(const Scene& scene, const RunOptions& options, Progress& progress) {
  const EndsAtOnce meanwhile;
  progress.begin_filling();
  return Simulation(scene, options,
                    [&](const Filling& at) { progress.filling(at, scene.bodies[at.body].name); });
}

class RunLoop {
 public:
  RunLoop(const Scene& scene, const RunDirectory& directory, const Options& options,
          Progress& progress, std::optional<Checkpoint> from,
          const std::function<bool()>& outdated);

  RunResult run();

 private:
  void begin(const std::optional<Checkpoint>& from);
  RunEnd advance_to_end();
  bool advance_frame(const std::function<bool()>& interrupted);
  void complete_frame();
  void warn_of_what_is_not_kept();
  void save_checkpoint();
  bool time_spent() const;
  bool should_stop() const {
    return InterruptGuard::requested() != 0 || time_spent() || is_outdated();
  }
  bool is_outdated() const { return outdated_ && outdated_(); }
  void write_summary(const std::string& message);
  [[noreturn]] void fail(const Error& error);

  const Clock::time_point start_ = Clock::now();
  RunSeconds seconds_;
  const Scene& scene_;
  const RunDirectory& directory_;
  const Options& options_;
  Progress& progress_;
  const std::function<bool()>& outdated_;
  Simulation simulation_;
  Sensors sensors_;
  std::optional<SensorWriter> readings_;
  std::optional<FrameWriter> writer_;
  FrameStats last_;
  RunState state_;
  std::string summary_;
};

// The initial state is made even to resume: the pictures of a run are framed by it.
RunLoop::RunLoop(const Scene& scene, const RunDirectory& directory, const Options& options,
                 Progress& progress, std::optional<Checkpoint> from,
                 const std::function<bool()>& outdated)
    : scene_(scene),
      directory_(directory),
      options_(options),
      progress_(progress),
      outdated_(outdated),
      simulation_(sampled(scene, options.run, progress)),
      sensors_(scene),
      state_{scene.name, scene.simulation.frames, {}, input_files(scene)} {
  simulation_.time_stages(options.verbose);
  begin(from);
  from.reset();  // its state is as large as the particles
  seconds_.start = seconds_since(options.started) - seconds_.pictures - seconds_.files;
}

void RunLoop::begin(const std::optional<Checkpoint>& from) {
  Snapshot first;
  if (from) {
    first = simulation_.snapshot(shown_parts(scene_));
    simulation_.load_state(from->state);
    state_ = run_state(*from, directory_.checkpoints().string());
    // The viewer, which reads no sensors, leaves none of theirs.
    if (!state_.sensors.empty()) sensors_.set_state(state_.sensors);
    // Before the tables lose their later rows: a later checkpoint would go on without them.
    prune_checkpoints(directory_.checkpoints(), from->frame, scene_.output.keep_checkpoints);
  } else {
    directory_.remove_older_run();
  }
  write_file_atomically(directory_.scene(), scene_.resolved_toml);
  using Resumed = FrameWriter::Resumed;
  writer_.emplace(
      scene_, directory_,
      from ? std::optional(Resumed{first, state_.planned_frames, from->frame, state_.view})
           : std::nullopt);
  readings_.emplace(scene_, sensors_, directory_,
                    from ? std::optional(simulation_.time()) : std::nullopt);
  last_ = simulation_.stats();
  progress_.line(fmt::format("device: {}", simulation_.device_name()));
  progress_.line(fmt::format("output: {}", directory_.path().string()));
  progress_.line(fmt::format("{} particles, {} frames at {:g}/s{}", last_.particles,
                             scene_.simulation.frames, scene_.simulation.fps,
                             from ? fmt::format(", resumed after frame {}", from->frame) : ""));
  if (from) return;
  std::vector<std::string> warnings = start_warnings(scene_);
  const int threads = options_.run.threads, cores = hardware_threads();
  if (!simulation_.on_cuda() && threads > cores)
    warnings.push_back(
        fmt::format("{} threads on {} cores are slower than {}", threads, cores, cores));
  for (const std::string& warning : warnings) progress_.line("warning: " + warning);
  state_.totals.add(last_);
  for (const SensorReading& reading : sensors_.read(simulation_)) readings_->write(reading);
  writer_->write(simulation_, last_, seconds_);
}

RunResult RunLoop::run() {
  try {
    progress_.begin(last_.frame, scene_.simulation.frames);
    const RunEnd end = advance_to_end();
    progress_.end();
    write_summary(end == RunEnd::kInterrupted ? "interrupted by a signal"
                  : end == RunEnd::kTimeSpent ? "stopped by --max-time"
                  : end == RunEnd::kOutdated  ? "stopped: the scene has changed"
                                              : "");
    if (end == RunEnd::kCompleted) {
      write_plots_and_video(scene_, directory_, progress_, seconds_);
      write_summary("");  // the rest of the times
    }
    const int signal = end == RunEnd::kInterrupted ? InterruptGuard::requested() : 0;
    return {end, last_, state_.totals, seconds_, simulation_.device_name(), summary_, signal};
  } catch (const Error& error) {
    fail(error);
  } catch (const std::bad_alloc&) {
    fail({ErrorCategory::kDevice,
          "out of memory; use fewer particles (a larger grid.dx or fewer particles_per_cell)"});
  }
}

RunEnd RunLoop::advance_to_end() {
  // At least one step is taken before the time is looked at: repeated short sessions arrive.
  bool first = true;
  const std::function<bool()> interrupted = [this, &first] {
    progress_.tick();
    return std::exchange(first, false) ? InterruptGuard::requested() != 0 : should_stop();
  };
  bool stop = InterruptGuard::requested() != 0;
  while (last_.frame < scene_.simulation.frames && !stop) {
    if (advance_frame(interrupted)) complete_frame();
    stop = should_stop();
  }
  save_checkpoint();
  if (last_.frame >= scene_.simulation.frames) return RunEnd::kCompleted;
  if (InterruptGuard::requested() != 0) return RunEnd::kInterrupted;
  return time_spent() ? RunEnd::kTimeSpent : RunEnd::kOutdated;
}

bool RunLoop::advance_frame(const std::function<bool()>& interrupted) {
  const Stopwatch watch(seconds_.steps);
  return sensors_.advance_frame(simulation_,
                                [this](const SensorReading& reading) { readings_->write(reading); },
                                {.interrupted = interrupted});
}

// Once each.
void RunLoop::warn_of_what_is_not_kept() {
  const DiagnosticsSettings& bounds = scene_.diagnostics;
  const auto passes = [](double before, double now, double bound) {
    return before <= bound && now > bound;
  };
  if (passes(state_.totals.energy_growth, last_.energy.growth, bounds.energy_growth))
    Progress::warning(describe_growth(last_.energy, last_.frame));
  if (passes(state_.totals.lost_volume, last_.lost_volume, bounds.volume_loss))
    Progress::warning(fmt::format(
        "liquids have lost {:.3g} % of their volume until frame {}: particles lie too close "
        "together; fluid.density_correction = true and shorter steps (time.cfl) keep them apart",
        100 * last_.lost_volume, last_.frame));
}

// What went wrong with the picture before is the end of the run in that frame.
void RunLoop::complete_frame() {
  writer_->finish_picture(seconds_);
  last_ = simulation_.stats();
  warn_of_what_is_not_kept();
  state_.totals.add(last_);
  writer_->write(simulation_, last_, seconds_);
  progress_.frame_done(last_);
  const int every = scene_.output.checkpoint_every;
  if (every > 0 && last_.frame % every == 0 && last_.frame < scene_.simulation.frames)
    save_checkpoint();
}

void RunLoop::save_checkpoint() {
  writer_->sync(seconds_);
  const Stopwatch watch(seconds_.files);
  readings_->sync();
  state_.sensors = sensors_.state();
  state_.view = writer_->view_state();
  const auto path = write_checkpoint(
      directory_.checkpoints(),
      {last_.frame, last_.time, scene_.resolved_toml, to_json(state_), simulation_.save_state()},
      scene_.output.keep_checkpoints);
  progress_.detail("checkpoint: " + path.string());
}

bool RunLoop::time_spent() const {
  return options_.max_time && seconds_since(start_) >= *options_.max_time;
}

void RunLoop::write_summary(const std::string& message) {
  seconds_.total = seconds_since(options_.started);
  const RunOutcome outcome{simulation_.device_name(), kVersion, message.empty(), message, seconds_};
  summary_ = summary_json(scene_, outcome, state_.totals, last_);
  write_file_atomically(directory_.summary(), summary_);
}

void RunLoop::fail(const Error& error) {
  progress_.end();
  const std::string folder = directory_.path().string();
  std::string kept =
      fmt::format("the last good frame is {}; its files are kept in {}", last_.frame, folder);
  // Not the scene's fault: with a device that works, more memory or room on the disk it would go
  // on.
  if (error.category() != ErrorCategory::kDiverged &&
      !list_checkpoints(directory_.checkpoints()).empty())
    kept += "\nthe last checkpoint goes on with:  firn resume " + folder;
  const std::string message = std::string(error.what()) + "\n" + kept;
  try {
    write_summary(message);
  } catch (const Error&) {  // a full disk, say: the first failure is the one to report
  }
  if (const Divergence* where = error.divergence()) throw Error(error.category(), message, *where);
  throw Error(error.category(), message);
}

}  // namespace

std::filesystem::path output_folder(const Scene& scene, const Options& options) {
  if (!options.output.empty()) return options.output;
  if (!scene.output.directory.empty()) return scene.output.directory;
  return std::filesystem::path("out") / scene.name;
}

RunResult run_scene(const Scene& scene, const RunDirectory& directory, const Options& options,
                    Progress& progress, std::optional<Checkpoint> from,
                    const std::function<bool()>& outdated) {
  require_formats(scene.output);  // before bodies are filled
  return RunLoop(scene, directory, options, progress, std::move(from), outdated).run();
}

}  // namespace firn::app
