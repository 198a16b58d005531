#include "src/app/run_loop.h"
#include "firn/warnings.h"

#include <fmt/format.h>

#include <functional>
#include <new>
#include <optional>
#include <utility>

#include "src/app/frame_writer.h"
#include "src/app/interrupt.h"
#include "src/app/machine.h"
#include "src/app/run_record.h"
#include "src/app/stopwatch.h"
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
  void tell_begin(const std::optional<Checkpoint>& from);
  RunEnd advance_to_end();
  bool time_spent() const;
  bool should_stop() const {
    return InterruptGuard::requested() != 0 || time_spent() || is_outdated();
  }
  bool is_outdated() const { return outdated_ && outdated_(); }

  const Clock::time_point start_ = Clock::now();
  const Scene& scene_;
  const RunDirectory& directory_;
  const Options& options_;
  Progress& progress_;
  const std::function<bool()>& outdated_;
  Simulation simulation_;
  RunRecord record_;
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
      record_(directory, progress, options.checkpoint_time) {
  simulation_.time_stages(options.verbose);
  begin(from);
  from.reset();  // its state is as large as the particles
}

void RunLoop::begin(const std::optional<Checkpoint>& from) {
  if (!from) {
    tell_begin(from);
    record_.begin(scene_, simulation_, options_.started);
    return;
  }
  const Snapshot first = simulation_.snapshot(shown_parts(scene_));
  try {
    simulation_.load_state(from->state);
  } catch (const Error& error) {
    throw Error(error.category(),
                fmt::format("{}: the checkpoint of frame {}: {}", directory_.checkpoints().string(),
                            from->frame, error.what()));
  }
  const double behind = (simulation_.time() - from->time) * scene_.simulation.fps;
  if (behind > 1e-9 && scene_.simulation.frames <= from->frame)
    throw Error(ErrorCategory::kScene,
                fmt::format("simulation.frames = {}: the run is already on its way to frame {}; "
                            "give a larger number with --frames, or an earlier checkpoint with "
                            "--from",
                            scene_.simulation.frames, from->frame + 1));
  record_.resume(scene_, simulation_, first, *from, options_.started);
  tell_begin(from);
}

void RunLoop::tell_begin(const std::optional<Checkpoint>& from) {
  progress_.line(fmt::format("device: {}", simulation_.device_name()));
  progress_.line(fmt::format("output: {}", directory_.path().string()));
  progress_.line(fmt::format("{} particles, {} frames at {:g}/s{}", simulation_.stats().particles,
                             scene_.simulation.frames, scene_.simulation.fps,
                             from ? fmt::format(", resumed after frame {}", from->frame) : ""));
  if (!directory_.is_locked())
    Progress::warning(
        "the file system of the output knows of no locks: nothing keeps another run from writing "
        "there, too");
  if (from) return;
  std::vector<std::string> warnings = scene_warnings(scene_);
  const int threads = options_.run.threads, cores = hardware_threads();
  if (!simulation_.on_cuda() && threads > cores)
    warnings.push_back(
        fmt::format("{} threads on {} cores are slower than {}", threads, cores, cores));
  for (const std::string& warning : warnings) Progress::warning(warning);
}

RunResult RunLoop::run() {
  try {
    progress_.begin(record_.last().frame, scene_.simulation.frames);
    const RunEnd end = advance_to_end();
    progress_.end();
    record_.end(simulation_, end == RunEnd::kInterrupted ? "interrupted by a signal"
                             : end == RunEnd::kTimeSpent ? "stopped by --max-time"
                             : end == RunEnd::kOutdated  ? "stopped: the scene has changed"
                                                         : "");
    const int signal = end == RunEnd::kInterrupted ? InterruptGuard::requested() : 0;
    return {end,
            record_.last(),
            record_.totals(),
            record_.seconds(),
            simulation_.device_name(),
            record_.summary(),
            signal};
  } catch (const Error& error) {
    progress_.end();
    throw record_.failed(simulation_, error);
  } catch (const std::bad_alloc&) {
    progress_.end();
    throw record_.failed(simulation_, out_of_memory());
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
  while (record_.last().frame < scene_.simulation.frames && !stop) {
    if (record_.advance_frame(simulation_, {.interrupted = interrupted})) {
      record_.complete_frame(simulation_);
      progress_.frame_done(record_.last());
    }
    stop = should_stop();
  }
  record_.save_checkpoint(simulation_);
  if (record_.last().frame >= scene_.simulation.frames) return RunEnd::kCompleted;
  if (InterruptGuard::requested() != 0) return RunEnd::kInterrupted;
  return time_spent() ? RunEnd::kTimeSpent : RunEnd::kOutdated;
}

bool RunLoop::time_spent() const {
  return options_.max_time && seconds_since(start_) >= *options_.max_time;
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
  // Before bodies are filled.
  require_outputs(scene);
  return RunLoop(scene, directory, options, progress, std::move(from), outdated).run();
}

}  // namespace firn::app
